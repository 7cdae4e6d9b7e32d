package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Access;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.Completion;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.PeerCommand;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Receives whose buffers the NIC must not touch. */
@DisplayName("C30 bad receive buffers")
@Timeout(60)
class BadReceiveC30Test extends FixtureTest {
    private static final int BYTES = 20_000;
    /** The path MTU of a pair that nobody gave another. */
    private static final int PAIR_MTU = 1024;

    /** What is wrong with the buffer. */
    enum Way {
        /** Upper bits of the key. */
        WRONG_INDEX,
        /** Low byte of the key. */
        WRONG_LOW_BYTE,
        /** The key for peers. */
        REMOTE_KEY,
        /** A region of another protection domain. */
        OTHER_DOMAIN,
        /** A region without LOCAL_WRITE. */
        NO_LOCAL_WRITE,
        /** A region that went after the receive was posted. */
        DEREGISTERED,
        /** Starts before the region. */
        BELOW,
        /** Ends behind the region. */
        ABOVE
    }

    /**
     * One case.
     *
     * @param way what is wrong
     * @param size of the message
     * @param kind of B's memory
     * @param more whether another receive waits behind the bad one
     */
    record Case(Way way, int size, MemoryKind kind, boolean more) {}

    static Stream<Case> cases() {
        return Arrays.stream(Way.values()).flatMap(way -> IntStream.of(1, 64, 1025, BYTES).boxed().flatMap(size ->
                Stream.of(MemoryKind.DEVICE, MemoryKind.SHARED).flatMap(kind ->
                        Stream.of(true, false).map(more -> new Case(way, size, kind, more)))));
    }

    private RemoteBuffer target(Way way, MemoryKind kind) {
        RemoteBuffer whole = fixture.remote(BYTES, kind).fill(2);
        return switch (way) {
            case OTHER_DOMAIN -> whole.again(PeerCommand.OTHER_DOMAIN, 0, BYTES, Fixture.ALL_ACCESS);
            case NO_LOCAL_WRITE -> whole.again(PeerCommand.DOMAIN, 0, BYTES, Access.REMOTE_READ);
            default -> whole;
        };
    }

    private static WorkSpec receive(Case c, RemoteBuffer target) {
        int key = switch (c.way()) {
            case WRONG_INDEX -> target.lkey() ^ 0x4000_0100;
            case WRONG_LOW_BYTE -> target.lkey() ^ 1;
            case REMOTE_KEY -> target.rkey();
            default -> target.lkey();
        };
        long address = switch (c.way()) {
            case BELOW -> target.address() - 1;
            case ABOVE -> target.address() + BYTES + 1 - c.size();
            default -> target.address();
        };
        return WorkSpec.receive(11).sge(address, c.size(), key);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void receiverGetsAProtectionErrorAndSenderARemoteOperationError(Case c) {
        Pair pair = fixture.connected();
        Buffer local = fixture.local(BYTES, MemoryKind.DEVICE).fill(1);
        RemoteBuffer target = target(c.way(), c.kind());
        pair.postRemoteReceive(receive(c, target));
        if (c.more()) {
            pair.postRemoteReceive(WorkSpec.receive(12));
        }
        if (c.way() == Way.DEREGISTERED) {
            target.deregister();
        }
        pair.post(WorkSpec.send(1, Opcode.SEND).sge(local.address(), c.size(), local.lkey()),
                WorkSpec.send(2, Opcode.SEND));
        assertEquals(1, pair.await(WcStatus.REM_OP_ERR).wrId());
        assertEquals(2, pair.await(WcStatus.WR_FLUSH_ERR).wrId());
        assertEquals(11, pair.awaitRemoteReceive(WcStatus.LOC_PROT_ERR).wrId());
        if (c.more()) {
            assertEquals(12, pair.awaitRemoteReceive(WcStatus.WR_FLUSH_ERR).wrId());
        }
        pair.awaitState(QueuePairState.ERR);
        pair.awaitRemoteState(QueuePairState.ERR);
        // Packets before the one that does not fit may have been placed.
        boolean late = c.way() == Way.ABOVE && c.size() > PAIR_MTU;
        target.check(0, late ? BYTES + 1 - c.size() : BYTES, 2, "B's memory");
    }

    @Test
    void secondEntryIsCheckedWhenTheMessageReachesIt() {
        Pair pair = fixture.connected();
        Buffer local = fixture.local(200, MemoryKind.DEVICE);
        RemoteBuffer target = fixture.remote(200, MemoryKind.DEVICE);
        pair.postRemoteReceive(WorkSpec.receive(1).sge(target.address(), 100, target.lkey())
                .sge(target.address() + 100, 100, target.lkey() + 1));
        pair.post(WorkSpec.send(1, Opcode.SEND).sge(local.address(), 101, local.lkey()));
        pair.await(WcStatus.REM_OP_ERR);
        pair.awaitRemoteReceive(WcStatus.LOC_PROT_ERR);
    }

    /** A device that remembers the last key must not take 0 for it. */
    @Test
    void keyZeroOpensNothingAfterAnotherKeyWasUsed() {
        Pair pair = fixture.connected();
        Buffer local = fixture.local(64, MemoryKind.DEVICE);
        RemoteBuffer target = fixture.remote(64, MemoryKind.DEVICE);
        RemoteBuffer other = fixture.remote(64, MemoryKind.DEVICE);
        pair.postRemoteReceive(1, target, 0, 64);
        pair.post(WorkSpec.send(1, Opcode.SEND).sge(local.address(), 64, local.lkey()));
        pair.await(WcStatus.SUCCESS);
        pair.awaitRemoteReceive(WcStatus.SUCCESS);
        other.deregister();
        pair.postRemoteReceive(WorkSpec.receive(2).sge(target.address(), 64, 0));
        pair.post(WorkSpec.send(2, Opcode.SEND).sge(local.address(), 64, local.lkey()));
        pair.await(WcStatus.REM_OP_ERR);
        pair.awaitRemoteReceive(WcStatus.LOC_PROT_ERR);
    }

    /** After deregistration no byte may change, even when the message came before; what is told depends on that. */
    @Test
    void deregisteringBetweenArrivalAndPollLeavesTheMemoryAlone() {
        for (int size : new int[] {1, 32, 64, 100, 5000}) {
            Pair pair = fixture.connected();
            Buffer local = fixture.local(size, MemoryKind.DEVICE).fill(1);
            RemoteBuffer target = fixture.remote(size, MemoryKind.DEVICE);
            pair.postRemoteReceive(3, target, 0, size);
            pair.post(WorkSpec.send(1, Opcode.SEND).sge(local.address(), size, local.lkey()));
            pair.await(WcStatus.SUCCESS);
            target.deregister();
            byte[] before = target.bytes(0, size);
            target.fill(7);
            Completion received = pair.awaitRemoteReceives(1).getFirst();
            assertEquals(3, received.wrId());
            if (received.status() == WcStatus.SUCCESS) {
                assertTrue(Arrays.equals(local.segment().toArray(ValueLayout.JAVA_BYTE), before),
                        "a receive that succeeds had its " + size + " bytes in memory before deregistration");
            } else {
                assertEquals(WcStatus.LOC_PROT_ERR, received.status());
            }
            target.check(0, size, 7, "deregistered memory");
        }
    }
}
