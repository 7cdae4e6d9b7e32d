package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.verbena.verbs.Access;
import io.verbena.verbs.MemoryWindow.Type;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.WcFlags;
import io.verbena.verbs.WcOpcode;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.Completion;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.PeerAnswer.WindowInfo;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Windows of type 2: the binder picks the low byte of the key, only the peer of the binding queue pair may use it. */
@DisplayName("C36 memory windows of type 2")
@Timeout(60)
class WindowsC36Test extends WindowTest {
    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void boundWindowServesEveryOperation(Shape shape) {
        prepare(shape);
        WindowInfo window = window(Type.TYPE_2);
        int key = bound(bindMiddle(window, 0x5A), window);
        assertEquals(window.rkey() & ~0xFF | 0x5A, key, "24 bits of the window, 8 of the binder");
        for (Opcode opcode : new Opcode[] {Opcode.RDMA_WRITE, Opcode.RDMA_READ}) {
            assertEquals(WcStatus.SUCCESS, access(pair, opcode, region.address() + FROM, LENGTH, key));
        }
        region.check(FROM, LENGTH, 2, "written");
        for (Opcode opcode : new Opcode[] {Opcode.ATOMIC_CMP_AND_SWP, Opcode.ATOMIC_FETCH_AND_ADD}) {
            assertEquals(WcStatus.SUCCESS, access(pair, opcode, region.address() + FROM, 8, key));
        }
        region.check(0, FROM, 1, "before the window");
    }

    @Test
    void onlyTheChosenByteOpens() {
        prepare();
        WindowInfo window = window(Type.TYPE_2);
        int key = bound(bindMiddle(window, 200), window);
        mayNotWrite(key ^ 1);
        mayNotWrite(key + 1);
        mayNotWrite(key ^ 1 << 20);
        mayNotWrite(key & ~0xFF);
        mayWrite(key);
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void sameByteAgainAndAnyOtherOneAreAllowed(Shape shape) {
        prepare(shape);
        WindowInfo window = window(Type.TYPE_2);
        int last = 0;
        for (int choice : new int[] {0, 0, 255, 1, 255}) {
            int key = bound(bindMiddle(window, choice), window);
            mayWrite(key);
            if (last != 0 && last != key) {
                mayNotWrite(last);
            }
            invalidated(key);
            mayNotWrite(key);
            last = key;
        }
    }

    @ParameterizedTest
    @EnumSource(value = Opcode.class, names = {"RDMA_WRITE", "RDMA_READ", "ATOMIC_FETCH_AND_ADD"})
    void otherQueuePairsAreRefused(Opcode opcode) {
        prepare();
        Pair other = fixture.connected();
        WindowInfo window = window(Type.TYPE_2);
        int key = bound(bindMiddle(window, 9), window);
        assertEquals(WcStatus.REM_ACCESS_ERR, access(other, opcode, region.address() + FROM, 8, key));
        other.awaitRemoteEvent("QP_ACCESS_ERR");
        region.check(0, BYTES, 1, "B's memory");
        assertEquals(WcStatus.SUCCESS, access(pair, opcode, region.address() + FROM, 8, key));
    }

    @Test
    void otherQueuePairsDoNotInvalidate() {
        prepare();
        Pair other = fixture.connected();
        WindowInfo window = window(Type.TYPE_2);
        int key = bound(bindMiddle(window, 9), window);
        assertEquals(WcStatus.LOC_QP_OP_ERR, atB(other, invalidate(1, key)));
        other.reconnect();
        other.postRemoteReceive(WorkSpec.receive(1));
        other.post(WorkSpec.send(2, Opcode.SEND_WITH_INV).invalidate(key));
        other.await(WcStatus.SUCCESS);
        assertNotEquals(WcStatus.SUCCESS, other.awaitRemoteReceives(1).getFirst().status());
        mayWrite(key);
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void sendWithInvalidateTellsTheReceiverWhichKeyIsGone(Shape shape) {
        prepare(shape);
        RemoteBuffer inbox = fixture.remote(8192, shape.kind());
        WindowInfo window = window(Type.TYPE_2);
        for (int size : new int[] {0, 8, 64, 5000}) {
            int key = bound(bindMiddle(window, size), window);
            Buffer source = fixture.local(8192, MemoryKind.DEVICE).fill(size + 3);
            pair.postRemoteReceive(1, inbox, 0, 8192);
            pair.post(WorkSpec.send(2, Opcode.SEND_WITH_INV).sge(source.address(), size, source.lkey())
                    .invalidate(key));
            assertEquals(WcOpcode.SEND, pair.await(WcStatus.SUCCESS).opcode());
            Completion received = pair.awaitRemoteReceive(WcStatus.SUCCESS);
            assertEquals(WcOpcode.RECV, received.opcode());
            assertEquals(size, received.byteLen());
            assertEquals(WcFlags.WITH_INV, received.flags() & (WcFlags.WITH_INV | WcFlags.WITH_IMM));
            assertEquals(key, received.imm(), "the invalidated key");
            inbox.check(0, size, size + 3, "the message");
            mayNotWrite(key);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"zero", "random", "region", "free window"})
    void sendWithInvalidateOfABadKeyHurtsTheReceiverOnly(String which) {
        prepare();
        RemoteBuffer inbox = fixture.remote(64, MemoryKind.DEVICE);
        WindowInfo window = window(Type.TYPE_2);
        int key = switch (which) {
            case "zero" -> 0;
            case "random" -> 0x1234_5678;
            case "region" -> inbox.rkey();
            default -> window.rkey();
        };
        pair.postRemoteReceive(1, inbox, 0, 64);
        pair.post(WorkSpec.send(2, Opcode.SEND_WITH_INV).sge(local.address(), 8, local.lkey()).invalidate(key));
        pair.await(WcStatus.SUCCESS);
        Completion received = pair.awaitRemoteReceives(1).getFirst();
        assertEquals(1, received.wrId());
        assertNotEquals(WcStatus.SUCCESS, received.status());
        assertNotEquals(WcStatus.WR_FLUSH_ERR, received.status());
        pair.awaitRemoteState(QueuePairState.ERR);
    }

    @ParameterizedTest
    @ValueSource(strings = {"zero", "random", "lkey", "rkey", "free window", "twice"})
    void localInvalidationOfABadKeyFails(String which) {
        prepare();
        RemoteBuffer other = fixture.remote(64, MemoryKind.DEVICE);
        WindowInfo window = window(Type.TYPE_2);
        int key = switch (which) {
            case "zero" -> 0;
            case "random" -> 0x1234_5678;
            case "lkey" -> other.lkey();
            case "rkey" -> other.rkey();
            default -> window.rkey();
        };
        if (which.equals("twice")) {
            key = bound(bindMiddle(window, 1), window);
            invalidated(key);
        }
        assertEquals(WcStatus.LOC_QP_OP_ERR, atB(pair, invalidate(1, key)));
        pair.awaitRemoteState(QueuePairState.ERR);
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void closingABoundWindowKillsItsKeyAndFreesTheRegion(Shape shape) {
        prepare(shape);
        WindowInfo window = window(Type.TYPE_2);
        int key = bound(bindMiddle(window, 1), window);
        mayWrite(key);
        region.fill(1);
        destroy(window.handle());
        mayNotWrite(key);
        region.check(0, BYTES, 1, "B's memory");
        region.deregister();
    }

    @Test
    void closingTheQueuePairThatBoundItFreesTheWindow() {
        prepare();
        Pair binder = fixture.connected();
        WindowInfo window = window(Type.TYPE_2);
        assertEquals(WcStatus.SUCCESS, atB(binder, bindMiddle(window, 4)));
        destroy(binder.remoteQp());
        int key = bound(bindMiddle(window, 4), window);
        mayWrite(key);
    }

    @Test
    void windowSurvivesTheResetOfItsQueuePair() {
        prepare();
        WindowInfo window = window(Type.TYPE_2);
        int key = bound(bindMiddle(window, 4), window);
        mayWrite(key);
        pair.reconnect();
        mayWrite(key);
        invalidated(key);
        mayNotWrite(key);
    }

    @Test
    void bindAndUseInOnePost() {
        prepare();
        WindowInfo window = window(Type.TYPE_2);
        RemoteBuffer note = fixture.remote(8, MemoryKind.DEVICE);
        Buffer inbox = fixture.local(8, MemoryKind.DEVICE);
        for (int round = 0; round < 100; round++) {
            pair.postReceive(WorkSpec.receive(round).sge(inbox.address(), 8, inbox.lkey()));
            pair.postRemoteReceive(WorkSpec.receive(round));
            pair.postRemote(bindMiddle(window, round).flags(0),
                    WorkSpec.send(round, Opcode.SEND).sge(note.address(), 8, note.lkey()).flags(0));
            assertEquals(WcStatus.SUCCESS, pair.awaitReceive().status());
            mayWrite(window.rkey() & ~0xFF | round);
            pair.post(WorkSpec.send(1, Opcode.SEND_WITH_INV).invalidate(window.rkey() & ~0xFF | round));
            pair.await(WcStatus.SUCCESS);
            pair.awaitRemoteReceive(WcStatus.SUCCESS);
        }
    }

    @Test
    void manyWindowsOnOneRegion() {
        prepare();
        WindowInfo[] windows = IntStream.range(0, 64).mapToObj(i -> window(Type.TYPE_2)).toArray(WindowInfo[]::new);
        for (int i = 0; i < windows.length; i++) {
            bound(bind(windows[i], i, i * 64L, 64, Access.REMOTE_WRITE), windows[i]);
        }
        for (int i = 0; i < windows.length; i++) {
            int key = windows[i].rkey() & ~0xFF | i;
            assertEquals(WcStatus.SUCCESS, access(pair, Opcode.RDMA_WRITE, region.address() + i * 64L, 64, key));
            assertEquals(WcStatus.REM_ACCESS_ERR,
                    access(pair, Opcode.RDMA_WRITE, region.address() + (i * 64L + 64) % BYTES, 64, key));
            pair.reconnect();
        }
    }
}
