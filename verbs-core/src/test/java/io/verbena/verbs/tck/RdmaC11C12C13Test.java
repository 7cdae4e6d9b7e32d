package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.verbs.Opcode;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.WcFlags;
import io.verbena.verbs.WcOpcode;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.Completion;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.Pattern;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** RDMA WRITE, WRITE_WITH_IMM and READ of every size, path MTU, threading mode and kind of memory. */
@DisplayName("C11 WRITE, C12 WRITE_WITH_IMM, C13 READ")
@Timeout(60)
class RdmaC11C12C13Test extends FixtureTest {
    private static final long UNTOUCHED = 99;
    private static final int MARGIN = 32;

    private Pair pair;
    private Buffer local;
    private RemoteBuffer remote;

    private void prepare(Shape shape) {
        pair = fixture.connected(shape.spec());
        local = fixture.local(Shape.largest() + 64 + 2 * MARGIN, shape.kind());
        remote = fixture.remote(Shape.largest() + 64 + 2 * MARGIN, shape.kind());
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#all")
    void writeArrivesAndNeighboursStayUntouched(Shape shape) {
        prepare(shape);
        for (int size : shape.sizes()) {
            int start = MARGIN + size % 9;
            local.fill(start, size, size);
            remote.fill(start - MARGIN, MARGIN, UNTOUCHED);
            remote.fill(start + size, MARGIN, UNTOUCHED + 1);
            pair.post(WorkSpec.send(7, Opcode.RDMA_WRITE).sge(local.address() + start, size, local.lkey())
                    .remote(remote.address() + start, remote.rkey()));
            assertEquals(WcOpcode.RDMA_WRITE, pair.await(WcStatus.SUCCESS).opcode());
            remote.check(start, size, size, "write of " + size);
            remote.check(start - MARGIN, MARGIN, UNTOUCHED, "before write of " + size);
            remote.check(start + size, MARGIN, UNTOUCHED + 1, "behind write of " + size);
        }
        pair.expectNoRemoteReceive();
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#all")
    void writeWithImmediateConsumesAReceiveAndLeavesItsBufferAlone(Shape shape) {
        prepare(shape);
        RemoteBuffer untouched = fixture.remote(256, shape.kind()).fill(UNTOUCHED);
        for (int size : shape.sizes()) {
            local.fill(0, size, size + 1);
            remote.fill(size, MARGIN, UNTOUCHED);
            pair.postRemoteReceive(size + 50, untouched, 0, 256);
            pair.post(WorkSpec.send(7, Opcode.RDMA_WRITE_WITH_IMM).sge(local.address(), size, local.lkey())
                    .remote(remote.address(), remote.rkey()).imm(~size));
            assertEquals(WcOpcode.RDMA_WRITE, pair.await(WcStatus.SUCCESS).opcode());
            Completion received = pair.awaitRemoteReceive(WcStatus.SUCCESS);
            assertEquals(size + 50, received.wrId());
            assertEquals(WcOpcode.RECV_RDMA_WITH_IMM, received.opcode());
            assertEquals(size, received.byteLen(), "byteLen is the length of the write");
            assertEquals(~size, received.imm());
            assertEquals(WcFlags.WITH_IMM, received.flags() & WcFlags.WITH_IMM);
            remote.check(0, size, size + 1, "write of " + size);
            remote.check(size, MARGIN, UNTOUCHED, "behind write of " + size);
            untouched.check(0, 256, UNTOUCHED, "buffer of the receive");
        }
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void writeWithImmediateTakesAReceiveWithoutBuffers(Shape shape) {
        prepare(shape);
        for (int size : shape.sizes()) {
            pair.postRemoteReceive(WorkSpec.receive(size));
            pair.post(WorkSpec.send(7, Opcode.RDMA_WRITE_WITH_IMM).sge(local.address(), size, local.lkey())
                    .remote(remote.address(), remote.rkey()).imm(size));
            pair.await(WcStatus.SUCCESS);
            assertEquals(size, pair.awaitRemoteReceive(WcStatus.SUCCESS).byteLen());
        }
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#all")
    void readFetchesAndNeighboursStayUntouched(Shape shape) {
        prepare(shape);
        for (int size : shape.sizes()) {
            int start = MARGIN + size % 5;
            remote.fill(start, size, size + 2);
            local.fill(0, start, UNTOUCHED);
            local.fill(start + size, MARGIN, UNTOUCHED + 1);
            pair.post(WorkSpec.send(7, Opcode.RDMA_READ).sge(local.address() + start, size, local.lkey())
                    .remote(remote.address() + start, remote.rkey()));
            Completion read = pair.await(WcStatus.SUCCESS);
            assertEquals(WcOpcode.RDMA_READ, read.opcode());
            assertEquals(size, read.byteLen());
            local.check(start, size, size + 2, "read of " + size);
            local.check(0, start, UNTOUCHED, "before read of " + size);
            local.check(start + size, MARGIN, UNTOUCHED + 1, "behind read of " + size);
            remote.check(start, size, size + 2, "source of read of " + size);
        }
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void simpleCallsDoTheSameAsLists(Shape shape) {
        prepare(shape);
        int flags = SendFlags.SIGNALED;
        for (int size : shape.sizes()) {
            local.fill(0, size, size + 4);
            pair.postRemoteReceive(1, remote, 0, size);
            assertEquals(0, pair.qp().postSend(1, local.address(), size, local.lkey(), flags));
            assertEquals(1, pair.await(WcStatus.SUCCESS).wrId());
            assertEquals(size, pair.awaitRemoteReceive(WcStatus.SUCCESS).byteLen());
            remote.check(0, size, size + 4, "postSend of " + size);
            local.fill(0, size, size + 5);
            assertEquals(0, pair.qp().postWrite(2, local.address(), size, local.lkey(), remote.address(),
                    remote.rkey(), flags));
            assertEquals(2, pair.await(WcStatus.SUCCESS).wrId());
            remote.check(0, size, size + 5, "postWrite of " + size);
            local.fill(0, size, UNTOUCHED);
            assertEquals(0, pair.qp().postRead(3, local.address(), size, local.lkey(), remote.address(),
                    remote.rkey(), flags));
            assertEquals(3, pair.await(WcStatus.SUCCESS).wrId());
            local.check(0, size, size + 5, "postRead of " + size);
        }
    }

    /** Every operation takes as many numbers as packets, also a READ for its responses; they wrap at 2^24. */
    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#all")
    void sequenceNumbersCountPackets(Shape shape) {
        prepare(shape);
        int psn = pair.qp().query().sqPsn();
        assertEquals(psn, pair.queryRemote().rqPsn());
        for (Opcode opcode : new Opcode[] {Opcode.RDMA_WRITE, Opcode.RDMA_READ, Opcode.SEND}) {
            for (int size : shape.sizes()) {
                pair.postRemoteReceive(1, remote, 0, size);
                pair.post(WorkSpec.send(1, opcode).sge(local.address(), size, local.lkey())
                        .remote(remote.address(), remote.rkey()));
                pair.await(WcStatus.SUCCESS);
                psn = psn + Math.max(1, Math.ceilDiv(size, shape.mtu().bytes())) & 0xFF_FFFF;
                assertEquals(psn, pair.qp().query().sqPsn(), opcode + " of " + size);
                assertEquals(psn, pair.queryRemote().rqPsn(), opcode + " of " + size);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void memoryOfDifferentKindsWorksTogether(Shape shape) {
        pair = fixture.connected(shape.spec());
        local = fixture.local(70_000, shape.kind());
        for (MemoryKind other : Shape.KINDS) {
            remote = fixture.remote(70_000, other);
            local.fill(other.ordinal());
            pair.post(WorkSpec.send(1, Opcode.RDMA_WRITE).sge(local.address(), 70_000, local.lkey())
                    .remote(remote.address(), remote.rkey()));
            pair.await(WcStatus.SUCCESS);
            remote.check(0, 70_000, other.ordinal(), shape.kind() + " to " + other);
            remote.fill(50 + other.ordinal());
            pair.post(WorkSpec.send(1, Opcode.RDMA_READ).sge(local.address(), 70_000, local.lkey())
                    .remote(remote.address(), remote.rkey()));
            pair.await(WcStatus.SUCCESS);
            local.check(0, 70_000, 50 + other.ordinal(), other + " to " + shape.kind());
        }
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void regionUnderItsOwnAddressesWorksLikeAnyOther(Shape shape) {
        pair = fixture.connected(shape.spec());
        remote = fixture.remote(4096, shape.kind());
        var memory = fixture.a().allocate(4096, shape.kind());
        for (long iova : new long[] {0, 0x1000, 0x7FFF_FFFF_FFFF_0000L, -8192}) {
            try (var region = fixture.a().domain().register(memory.segment(), iova, Fixture.ALL_ACCESS)) {
                assertEquals(iova, region.address());
                Pattern.fill(memory.segment(), iova);
                pair.post(WorkSpec.send(1, Opcode.RDMA_WRITE).sge(iova + 96, 4000, region.lkey())
                        .remote(remote.address(), remote.rkey()));
                pair.await(WcStatus.SUCCESS);
                assertEquals(memory.segment().asSlice(96, 8).get(ValueLayout.JAVA_LONG_UNALIGNED, 0),
                        remote.getLong(0));
                pair.postRemote(WorkSpec.send(2, Opcode.RDMA_WRITE).sge(remote.address(), 8, remote.lkey())
                        .remote(iova + 4088, region.rkey()));
                assertEquals(WcStatus.SUCCESS, pair.awaitRemoteSends(1).getFirst().status());
            }
        }
    }
}
