package io.verbena.verbs.tck;

import io.verbena.verbs.Opcode;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.PeerCommand;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.util.Arrays;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Registered memory around a region does not widen it. */
@DisplayName("C38 access outside a region but inside registered memory")
@Timeout(60)
class PartialRegionC38Test extends FixtureTest {
    private static final int BYTES = 4096;
    private static final int FROM = 1024;
    private static final int LENGTH = 512;

    /**
     * An access that leaves the region.
     *
     * @param kind of B's memory
     * @param opcode operation
     * @param offset of the access from the start of the memory
     */
    record Case(MemoryKind kind, Opcode opcode, long offset) {}

    static Stream<Case> cases() {
        return Stream.of(MemoryKind.DEVICE, MemoryKind.SHARED).flatMap(kind -> Stream.of(Opcode.RDMA_WRITE,
                Opcode.RDMA_READ, Opcode.ATOMIC_FETCH_AND_ADD).flatMap(opcode -> LongStream
                .of(0, FROM - 8, FROM + LENGTH, BYTES - 8).mapToObj(offset -> new Case(kind, opcode, offset))));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void accessBesideTheRegionIsRefused(Case c) {
        Pair pair = fixture.connected();
        Buffer local = fixture.local(8, MemoryKind.DEVICE).fill(2);
        RemoteBuffer whole = fixture.remote(BYTES, c.kind()).fill(1);
        RemoteBuffer part = whole.again(PeerCommand.DOMAIN, FROM, LENGTH, Fixture.ALL_ACCESS);
        pair.post(WorkSpec.send(1, c.opcode()).sge(local.address(), 8, local.lkey())
                .remote(whole.address() + c.offset(), part.rkey()));
        pair.await(WcStatus.REM_ACCESS_ERR);
        whole.check(0, BYTES, 1, "B's memory");
        local.check(0, 8, 2, "A's memory");
    }

    @ParameterizedTest
    @EnumSource(value = MemoryKind.class, names = {"DEVICE", "SHARED", "AUTO", "GLOBAL"})
    void accessAcrossAnEdgeIsRefusedAndWithinIsNot(MemoryKind kind) {
        Pair pair = fixture.connected();
        Buffer local = fixture.local(LENGTH + 1, MemoryKind.DEVICE).fill(2);
        RemoteBuffer whole = fixture.remote(BYTES, kind).fill(1);
        RemoteBuffer part = whole.again(PeerCommand.DOMAIN, FROM, LENGTH, Fixture.ALL_ACCESS);
        pair.post(WorkSpec.send(1, Opcode.RDMA_WRITE).sge(local.address(), LENGTH, local.lkey())
                .remote(part.address(), part.rkey()));
        pair.await(WcStatus.SUCCESS);
        whole.check(FROM, LENGTH, 2, "all of the region");
        for (long start : new long[] {part.address() - 1, part.address()}) {
            whole.fill(1);
            pair.post(WorkSpec.send(1, Opcode.RDMA_WRITE).sge(local.address(), LENGTH + 1, local.lkey())
                    .remote(start, part.rkey()));
            pair.await(WcStatus.REM_ACCESS_ERR);
            whole.check(0, BYTES, 1, "B's memory");
            pair.reconnect();
        }
    }

    @ParameterizedTest
    @EnumSource(value = MemoryKind.class, names = {"DEVICE", "SHARED"})
    void keyOfOneRegionDoesNotOpenItsNeighbour(MemoryKind kind) {
        Pair pair = fixture.connected();
        Buffer local = fixture.local(64, MemoryKind.DEVICE);
        RemoteBuffer whole = fixture.remote(BYTES, kind).fill(1);
        RemoteBuffer first = whole.again(PeerCommand.DOMAIN, 0, BYTES / 2, Fixture.ALL_ACCESS);
        RemoteBuffer second = whole.again(PeerCommand.DOMAIN, BYTES / 2, BYTES / 2, Fixture.ALL_ACCESS);
        for (int key : Arrays.asList(first.rkey(), second.rkey())) {
            pair.post(WorkSpec.send(1, Opcode.RDMA_WRITE).sge(local.address(), 64, local.lkey())
                    .remote(second.address() - 32, key));
            pair.await(WcStatus.REM_ACCESS_ERR);
            pair.reconnect();
        }
        whole.check(0, BYTES, 1, "B's memory");
    }
}
