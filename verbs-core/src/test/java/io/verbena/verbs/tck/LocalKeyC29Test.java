package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.GuardedMemory;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every way to name a local buffer wrongly, with every operation. */
@DisplayName("C29 local keys")
@Timeout(60)
class LocalKeyC29Test extends FixtureTest {
    private static final int BYTES = 1000;
    private static final List<Opcode> OPCODES = List.of(Opcode.SEND, Opcode.SEND_WITH_IMM, Opcode.RDMA_WRITE,
            Opcode.RDMA_WRITE_WITH_IMM, Opcode.RDMA_READ, Opcode.ATOMIC_CMP_AND_SWP, Opcode.ATOMIC_FETCH_AND_ADD);

    /** The ways. */
    enum Way {
        /** Upper bits of the key. */
        WRONG_INDEX,
        /** Low byte of the key. */
        WRONG_LOW_BYTE,
        /** The key for peers. */
        REMOTE_KEY,
        /** No key at all. */
        ZERO_KEY,
        /** A region of another protection domain. */
        OTHER_DOMAIN,
        /** A region that is gone. */
        DEREGISTERED,
        /** Starts before the region. */
        BELOW,
        /** Ends behind the region. */
        ABOVE,
        /** Wraps around 2^64. */
        WRAPPING
    }

    /**
     * One case.
     *
     * @param way what is wrong
     * @param opcode operation
     * @param kind of A's memory
     */
    record Case(Way way, Opcode opcode, MemoryKind kind) {}

    static Stream<Case> cases() {
        return Arrays.stream(Way.values()).flatMap(way -> OPCODES.stream().flatMap(opcode ->
                Stream.of(MemoryKind.DEVICE, MemoryKind.SHARED).map(kind -> new Case(way, opcode, kind))));
    }

    private static int key(Way way, MemoryRegion region) {
        return switch (way) {
            case WRONG_INDEX -> region.lkey() ^ 0x4000_0100;
            case WRONG_LOW_BYTE -> region.lkey() ^ 1;
            case REMOTE_KEY -> region.rkey();
            case ZERO_KEY -> 0;
            default -> region.lkey();
        };
    }

    private static long address(Way way, MemoryRegion region, int size) {
        return switch (way) {
            case BELOW -> region.address() - 1;
            case ABOVE -> region.address() + BYTES + 1 - size;
            case WRAPPING -> -size / 2;
            default -> region.address();
        };
    }

    private MemoryRegion region(Way way, GuardedMemory memory) {
        var domain = way == Way.OTHER_DOMAIN ? fixture.a().otherDomain() : fixture.a().domain();
        MemoryRegion region = fixture.a().keep(domain.register(memory.segment(), Fixture.ALL_ACCESS));
        if (way == Way.DEREGISTERED) {
            region.close();
        }
        return region;
    }

    @ParameterizedTest
    @MethodSource("cases")
    void wrongBufferIsALocalProtectionErrorAndNothingIsDone(Case c) {
        Pair pair = fixture.connected();
        GuardedMemory memory = fixture.a().allocate(BYTES, c.kind());
        Buffer local = new Buffer(memory, region(c.way(), memory)).fill(1);
        RemoteBuffer remote = fixture.remote(64, MemoryKind.DEVICE).fill(2);
        int size = RemoteKeyC27Test.isAtomic(c.opcode()) ? 8 : 16;
        pair.postRemoteReceive(5, remote, 0, 64);
        pair.post(WorkSpec.send(1, c.opcode())
                        .sge(address(c.way(), local.region(), size), size, key(c.way(), local.region()))
                        .remote(remote.address(), remote.rkey()).operands(1, 1),
                WorkSpec.send(2, Opcode.SEND));
        assertEquals(1, pair.await(WcStatus.LOC_PROT_ERR).wrId());
        assertEquals(2, pair.await(WcStatus.WR_FLUSH_ERR).wrId());
        pair.awaitState(QueuePairState.ERR);
        local.check(0, BYTES, 1, "A's memory");
        pair.expectNoRemoteReceive();
        if (c.opcode() != Opcode.ATOMIC_FETCH_AND_ADD && c.opcode() != Opcode.ATOMIC_CMP_AND_SWP) {
            remote.check(0, 64, 2, "B's memory");
        }
    }

    /** A device that remembers the last key must not remember it too long, nor take 0 for it. */
    @ParameterizedTest
    @EnumSource(value = Way.class, names = {"ZERO_KEY", "DEREGISTERED"})
    void keyUsedBeforeOpensNothingAfterARegionIsGone(Way way) {
        for (Opcode opcode : OPCODES) {
            Pair pair = fixture.connected();
            GuardedMemory memory = fixture.a().allocate(BYTES, MemoryKind.DEVICE);
            Buffer local = new Buffer(memory, fixture.a().register(memory, Fixture.ALL_ACCESS));
            Buffer other = fixture.local(BYTES, MemoryKind.DEVICE);
            RemoteBuffer remote = fixture.remote(64, MemoryKind.DEVICE);
            pair.postRemoteReceive(WorkSpec.receive(1).sge(remote.address(), 64, remote.lkey()), WorkSpec.receive(2));
            WorkSpec request = WorkSpec.send(1, opcode).sge(local.address(), 8, local.lkey())
                    .remote(remote.address(), remote.rkey());
            pair.post(request);
            pair.await(WcStatus.SUCCESS);
            (way == Way.ZERO_KEY ? other : local).region().close();
            pair.post(WorkSpec.send(2, opcode)
                    .sge(local.address(), 8, way == Way.ZERO_KEY ? 0 : local.lkey())
                    .remote(remote.address(), remote.rkey()));
            assertEquals(WcStatus.LOC_PROT_ERR, pair.await().status(), opcode.toString());
        }
    }

    @ParameterizedTest
    @EnumSource(value = Opcode.class, names = {"RDMA_READ", "ATOMIC_CMP_AND_SWP", "ATOMIC_FETCH_AND_ADD"})
    void resultsNeedLocalWrite(Opcode opcode) {
        Pair pair = fixture.connected();
        Buffer local = fixture.local(64, MemoryKind.DEVICE, 0).fill(1);
        RemoteBuffer remote = fixture.remote(64, MemoryKind.DEVICE);
        pair.post(WorkSpec.send(1, opcode).sge(local.address(), 8, local.lkey())
                .remote(remote.address(), remote.rkey()));
        pair.await(WcStatus.LOC_PROT_ERR);
        local.check(0, 64, 1, "A's memory");
    }

    @ParameterizedTest
    @EnumSource(value = Opcode.class, names = {"SEND", "RDMA_WRITE"})
    void sourcesNeedNoRight(Opcode opcode) {
        Pair pair = fixture.connected();
        Buffer local = fixture.local(64, MemoryKind.DEVICE, 0).fill(1);
        RemoteBuffer remote = fixture.remote(64, MemoryKind.DEVICE);
        pair.postRemoteReceive(1, remote, 0, 64);
        pair.post(WorkSpec.send(1, opcode).sge(local.address(), 64, local.lkey())
                .remote(remote.address(), remote.rkey()));
        pair.await(WcStatus.SUCCESS);
        if (opcode == Opcode.SEND) {
            pair.awaitRemoteReceive(WcStatus.SUCCESS);
        }
        remote.check(0, 64, 1, "B's memory");
    }

    @ParameterizedTest
    @EnumSource(value = Opcode.class, names = {"SEND", "RDMA_WRITE", "RDMA_READ"})
    void secondEntryIsCheckedToo(Opcode opcode) {
        Pair pair = fixture.connected();
        Buffer local = fixture.local(5000, MemoryKind.DEVICE).fill(1);
        RemoteBuffer remote = fixture.remote(5000, MemoryKind.DEVICE);
        pair.postRemoteReceive(1, remote, 0, 5000);
        pair.post(WorkSpec.send(1, opcode).sge(local.address(), 3000, local.lkey())
                .sge(local.address() + 3000, 1000, local.lkey() + 1).remote(remote.address(), remote.rkey()));
        pair.await(WcStatus.LOC_PROT_ERR);
        pair.expectNoRemoteReceive();
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void workBeforeTheBadRequestIsDone(Threading threading) {
        Pair pair = fixture.connected(new PairSpec().threading(threading));
        Buffer local = fixture.local(64, MemoryKind.DEVICE).fill(1);
        RemoteBuffer remote = fixture.remote(64, MemoryKind.DEVICE);
        pair.post(WorkSpec.send(1, Opcode.RDMA_WRITE).sge(local.address(), 64, local.lkey())
                        .remote(remote.address(), remote.rkey()),
                WorkSpec.send(2, Opcode.RDMA_WRITE).sge(local.address(), 65, local.lkey())
                        .remote(remote.address(), remote.rkey()));
        pair.await(WcStatus.SUCCESS);
        pair.await(WcStatus.LOC_PROT_ERR);
        remote.check(0, 64, 1, "first write");
    }
}
