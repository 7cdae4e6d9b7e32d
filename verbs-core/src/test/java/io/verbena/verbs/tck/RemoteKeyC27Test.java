package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.verbs.Access;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.PeerCommand;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every way to miss the peer's memory, with every operation that goes there. */
@DisplayName("C27 remote keys")
@Timeout(60)
class RemoteKeyC27Test extends FixtureTest {
    /** So that the last aligned 8 bytes end one byte behind the region. */
    private static final int BYTES = 1007;
    private static final int SIZE = 16;
    private static final List<Opcode> OPCODES = List.of(Opcode.RDMA_WRITE, Opcode.RDMA_WRITE_WITH_IMM,
            Opcode.RDMA_READ, Opcode.ATOMIC_CMP_AND_SWP, Opcode.ATOMIC_FETCH_AND_ADD);

    /** The ways. */
    enum Way {
        /** Upper bits of the key. */
        WRONG_INDEX,
        /** Low byte of the key. */
        WRONG_LOW_BYTE,
        /** The key that is good for local buffers only. */
        LOCAL_KEY,
        /** No key at all. */
        ZERO_KEY,
        /** A region of another protection domain. */
        OTHER_DOMAIN,
        /** A region that grants everything else. */
        MISSING_RIGHT,
        /** A region that grants nothing to peers. */
        NO_RIGHT,
        /** A region that is gone. */
        DEREGISTERED,
        /** Starts before the region. */
        BELOW,
        /** Ends behind the region. */
        ABOVE,
        /** Starts behind the region. */
        FAR_ABOVE,
        /** Wraps around 2^64. */
        WRAPPING
    }

    /**
     * One case.
     *
     * @param way what is wrong
     * @param opcode operation
     * @param kind of B's memory
     */
    record Case(Way way, Opcode opcode, MemoryKind kind) {}

    static Stream<Case> cases() {
        return Arrays.stream(Way.values()).flatMap(way -> OPCODES.stream().flatMap(opcode ->
                Stream.of(MemoryKind.DEVICE, MemoryKind.SHARED).map(kind -> new Case(way, opcode, kind))));
    }

    static boolean isAtomic(Opcode opcode) {
        return opcode == Opcode.ATOMIC_CMP_AND_SWP || opcode == Opcode.ATOMIC_FETCH_AND_ADD;
    }

    /** The right that an operation needs at the peer. */
    static int right(Opcode opcode) {
        return isAtomic(opcode) ? Access.REMOTE_ATOMIC
                : opcode == Opcode.RDMA_READ ? Access.REMOTE_READ : Access.REMOTE_WRITE;
    }

    private RemoteBuffer target(Case c) {
        RemoteBuffer whole = fixture.remote(BYTES, c.kind()).fill(1);
        return switch (c.way()) {
            case OTHER_DOMAIN -> whole.again(PeerCommand.OTHER_DOMAIN, 0, BYTES, Fixture.ALL_ACCESS);
            case MISSING_RIGHT -> whole.again(PeerCommand.DOMAIN, 0, BYTES, Fixture.ALL_ACCESS & ~right(c.opcode()));
            case NO_RIGHT -> whole.again(PeerCommand.DOMAIN, 0, BYTES, Access.LOCAL_WRITE);
            case DEREGISTERED -> {
                RemoteBuffer gone = whole.again(PeerCommand.DOMAIN, 0, BYTES, Fixture.ALL_ACCESS);
                gone.deregister();
                yield gone;
            }
            default -> whole;
        };
    }

    private static int key(Case c, RemoteBuffer target) {
        return switch (c.way()) {
            case WRONG_INDEX -> target.rkey() ^ 0x4000_0100;
            case WRONG_LOW_BYTE -> target.rkey() ^ 1;
            case LOCAL_KEY -> target.lkey();
            case ZERO_KEY -> 0;
            default -> target.rkey();
        };
    }

    private static long address(Case c, RemoteBuffer target, int size) {
        boolean atomic = isAtomic(c.opcode());
        return switch (c.way()) {
            case BELOW -> target.address() - (atomic ? 8 : 1);
            case ABOVE -> target.address() + BYTES + 1 - size;
            case FAR_ABOVE -> target.address() + 1024;
            case WRAPPING -> atomic ? -8 : -size / 2;
            default -> target.address();
        };
    }

    @ParameterizedTest
    @MethodSource("cases")
    void accessIsRefusedAndMemoryUntouched(Case c) {
        Pair pair = fixture.connected();
        int size = isAtomic(c.opcode()) ? 8 : SIZE;
        Buffer local = fixture.local(SIZE, MemoryKind.DEVICE).fill(2);
        RemoteBuffer target = target(c);
        pair.postRemoteReceive(WorkSpec.receive(5));
        pair.post(WorkSpec.send(1, c.opcode()).sge(local.address(), size, local.lkey())
                .remote(address(c, target, size), key(c, target)).operands(0, 1), WorkSpec.send(2, Opcode.RDMA_WRITE));
        assertEquals(1, pair.await(WcStatus.REM_ACCESS_ERR).wrId());
        assertEquals(2, pair.await(WcStatus.WR_FLUSH_ERR).wrId());
        pair.awaitState(QueuePairState.ERR);
        pair.awaitRemoteState(QueuePairState.ERR);
        if (c.opcode() == Opcode.RDMA_WRITE_WITH_IMM) {
            assertEquals(false, pair.awaitRemoteReceives(1).getFirst().status() == WcStatus.SUCCESS);
        } else {
            pair.awaitRemoteEvent("QP_ACCESS_ERR");
            pair.awaitRemoteReceive(WcStatus.WR_FLUSH_ERR);
        }
        target.check(0, BYTES, 1, "B's memory");
        local.check(0, SIZE, 2, "A's memory");
    }

    /** A device that remembers the last key must not remember it too long, nor take 0 for it. */
    @ParameterizedTest
    @EnumSource(value = Way.class, names = {"ZERO_KEY", "DEREGISTERED"})
    void keyUsedBeforeOpensNothingAfterARegionIsGone(Way way) {
        for (Opcode opcode : OPCODES) {
            Pair pair = fixture.connected();
            Buffer local = fixture.local(SIZE, MemoryKind.DEVICE);
            RemoteBuffer remote = fixture.remote(64, MemoryKind.DEVICE);
            RemoteBuffer other = fixture.remote(64, MemoryKind.DEVICE);
            pair.postRemoteReceive(WorkSpec.receive(1), WorkSpec.receive(2));
            pair.post(WorkSpec.send(1, opcode).sge(local.address(), 8, local.lkey())
                    .remote(remote.address(), remote.rkey()));
            pair.await(WcStatus.SUCCESS);
            (way == Way.ZERO_KEY ? other : remote).deregister();
            pair.post(WorkSpec.send(2, opcode).sge(local.address(), 8, local.lkey())
                    .remote(remote.address(), way == Way.ZERO_KEY ? 0 : remote.rkey()));
            assertEquals(WcStatus.REM_ACCESS_ERR, pair.await().status(), opcode.toString());
        }
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void workBeforeTheBadRequestIsDone(Threading threading) {
        Pair pair = fixture.connected(new PairSpec().threading(threading));
        Buffer local = fixture.local(64, MemoryKind.DEVICE).fill(2);
        RemoteBuffer remote = fixture.remote(128, MemoryKind.DEVICE).fill(1);
        pair.post(WorkSpec.send(1, Opcode.RDMA_WRITE).sge(local.address(), 64, local.lkey())
                        .remote(remote.address(), remote.rkey()),
                WorkSpec.send(2, Opcode.RDMA_WRITE).sge(local.address(), 64, local.lkey())
                        .remote(remote.address() + 65, remote.rkey()),
                WorkSpec.send(3, Opcode.RDMA_WRITE).sge(local.address(), 64, local.lkey())
                        .remote(remote.address() + 64, remote.rkey()));
        pair.await(WcStatus.SUCCESS);
        pair.await(WcStatus.REM_ACCESS_ERR);
        pair.await(WcStatus.WR_FLUSH_ERR);
        remote.check(0, 64, 2, "first write");
        byte[] rest = remote.bytes(64, 64);
        remote.fill(1);
        assertEquals(Arrays.toString(remote.bytes(64, 64)), Arrays.toString(rest), "no later write");
    }

    @ParameterizedTest
    @EnumSource(value = MemoryKind.class, names = {"DEVICE", "SHARED"})
    void firstAndLastByteAreInside(MemoryKind kind) {
        Pair pair = fixture.connected();
        Buffer local = fixture.local(SIZE, MemoryKind.DEVICE).fill(2);
        RemoteBuffer remote = fixture.remote(BYTES, kind);
        for (Opcode opcode : OPCODES) {
            int size = isAtomic(opcode) ? 8 : 1;
            for (long offset : new long[] {0, isAtomic(opcode) ? BYTES - 15 : BYTES - 1}) {
                pair.postRemoteReceive(WorkSpec.receive(1));
                pair.post(WorkSpec.send(1, opcode).sge(local.address(), size, local.lkey())
                        .remote(remote.address() + offset, remote.rkey()));
                pair.await(WcStatus.SUCCESS);
            }
        }
    }
}
