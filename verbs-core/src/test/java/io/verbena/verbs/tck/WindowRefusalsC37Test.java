package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.verbs.Access;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.MemoryWindow.Type;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.SendRequests;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.PeerAnswer.WindowInfo;
import io.verbena.verbs.tck.peer.PeerCommand;
import io.verbena.verbs.tck.peer.WorkSpec;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Binds that the device refuses when it executes them: MW_BIND_ERR, the queue pair in ERR, nothing bound. */
@DisplayName("C37 refused binds")
@Timeout(60)
class WindowRefusalsC37Test extends WindowTest {
    private void refused(Type type, WindowInfo window, WorkSpec bind) {
        WcStatus status = type == Type.TYPE_1 ? bindTypeOne(bind) : atB(pair, bind);
        assertEquals(WcStatus.MW_BIND_ERR, status);
        pair.awaitRemoteState(QueuePairState.ERR);
        pair.reconnect();
        mayNotWrite(key(window));
    }

    @ParameterizedTest
    @EnumSource
    void regionWithoutTheRight(Type type) {
        prepare();
        region = fixture.remote(BYTES, MemoryKind.DEVICE, Fixture.ALL_ACCESS);
        WindowInfo window = window(type);
        refused(type, window, bindMiddle(window, 1));
    }

    @ParameterizedTest
    @CsvSource({"TYPE_1, -1, 2", "TYPE_2, -1, 2", "TYPE_2, 0, 4097", "TYPE_2, 4096, 1", "TYPE_1, 4095, 2",
        "TYPE_2, 8, -8", "TYPE_2, 8, -9223372036854775808", "TYPE_2, 8, 9223372036854775807", "TYPE_2, 0, 0",
        "TYPE_1, 4096, 1", "TYPE_2, -9223372036854775808, 8"})
    void rangesOutsideTheRegion(Type type, long offset, long length) {
        prepare();
        WindowInfo window = window(type);
        refused(type, window, bind(window, 1, offset, length, REMOTE));
    }

    @Test
    void regionOfAnotherDomain() {
        prepare();
        region = region.again(PeerCommand.OTHER_DOMAIN, 0, BYTES, BINDABLE);
        WindowInfo window = window(Type.TYPE_2);
        refused(Type.TYPE_2, window, bindMiddle(window, 1));
    }

    @Test
    void windowOfAnotherDomain() {
        prepare();
        WindowInfo window = window(PeerCommand.OTHER_DOMAIN, Type.TYPE_2);
        refused(Type.TYPE_2, window, bindMiddle(window, 1));
    }

    @ParameterizedTest
    @CsvSource({"TYPE_1, 2", "TYPE_1, 8", "TYPE_2, 2", "TYPE_2, 8", "TYPE_2, 10"})
    void windowToWriteOnARegionToRead(Type type, int access) {
        prepare();
        region = fixture.remote(BYTES, MemoryKind.DEVICE, Access.MW_BIND | Access.REMOTE_READ);
        WindowInfo window = window(type);
        refused(type, window, bind(window, 1, FROM, LENGTH, access));
    }

    @ParameterizedTest
    @EnumSource
    void zeroBasedRegion(Type type) {
        prepare();
        region = fixture.remote(BYTES, MemoryKind.DEVICE, BINDABLE | Access.ZERO_BASED);
        WindowInfo window = window(type);
        refused(type, window, bindMiddle(window, 1));
    }

    @Test
    void zeroBasedWindowOfType1() {
        prepare();
        WindowInfo window = window(Type.TYPE_1);
        refused(Type.TYPE_1, window, bind(window, 1, FROM, LENGTH, REMOTE | Access.ZERO_BASED));
    }

    @ParameterizedTest
    @CsvSource({"TYPE_1, 1024", "TYPE_2, -2147483648", "TYPE_2, 16", "TYPE_2, 256"})
    void rightsThatTheWindowCannotGrant(Type type, int access) {
        prepare();
        WindowInfo window = window(type);
        refused(type, window, bind(window, 1, FROM, LENGTH, access));
    }

    @Test
    void boundWindowOfType2() {
        prepare();
        WindowInfo window = window(Type.TYPE_2);
        int key = bound(bindMiddle(window, 1), window);
        assertEquals(WcStatus.MW_BIND_ERR, atB(pair, bindMiddle(window, 2)));
        pair.reconnect();
        mayNotWrite(key ^ 3);
        mayWrite(key);
    }

    @Test
    void type2WithoutARegion() {
        prepare();
        WindowInfo window = window(Type.TYPE_2);
        refused(Type.TYPE_2, window, WorkSpec.send(1, Opcode.BIND_MW).bind(window.handle(), 1, -1, 0, 0, REMOTE));
    }

    @Test
    void whatIsNoBindAtAllIsRefusedAtOnce() {
        prepare();
        window(Type.TYPE_2);
        MemoryWindow typeOne = fixture.a().keep(fixture.a().domain().allocateMemoryWindow(Type.TYPE_1));
        MemoryWindow typeTwo = fixture.a().keep(fixture.a().domain().allocateMemoryWindow(Type.TYPE_2));
        Buffer memory = fixture.local(64, MemoryKind.DEVICE, BINDABLE);
        SendRequests list = new SendRequests(1, 1);
        for (MemoryWindow window : new MemoryWindow[] {null, typeOne}) {
            list.clear().add(1, Opcode.BIND_MW, SendFlags.SIGNALED)
                    .bind(window, 1, memory.region(), memory.address(), 8, Access.REMOTE_READ);
            assertEquals(PostStatus.BAD_WINDOW, pair.qp().postSend(list));
        }
        list.clear().add(1, Opcode.BIND_MW, SendFlags.SIGNALED);
        assertEquals(PostStatus.BAD_WINDOW, pair.qp().postSend(list), "without bind");
        list.clear().add(1, Opcode.BIND_MW, SendFlags.SIGNALED).sge(memory.address(), 8, memory.lkey())
                .bind(typeTwo, 1, memory.region(), memory.address(), 8, Access.REMOTE_READ);
        assertEquals(PostStatus.TOO_MANY_SGES, pair.qp().postSend(list));
        list.clear().add(1, Opcode.BIND_MW, SendFlags.SIGNALED | SendFlags.INLINE)
                .bind(typeTwo, 1, memory.region(), memory.address(), 8, Access.REMOTE_READ);
        assertEquals(PostStatus.BAD_FLAGS, pair.qp().postSend(list));
        list.clear().add(1, Opcode.LOCAL_INV, SendFlags.SIGNALED).sge(memory.address(), 8, memory.lkey());
        assertEquals(PostStatus.TOO_MANY_SGES, pair.qp().postSend(list));
        typeTwo.close();
        list.clear().add(1, Opcode.BIND_MW, SendFlags.SIGNALED)
                .bind(typeTwo, 1, memory.region(), memory.address(), 8, Access.REMOTE_READ);
        assertEquals(PostStatus.BAD_WINDOW, pair.qp().postSend(list), "closed");
        pair.expectNoCompletion();
        pair.post(WorkSpec.send(2, Opcode.RDMA_WRITE));
        assertEquals(2, pair.await(WcStatus.SUCCESS).wrId());
    }
}
