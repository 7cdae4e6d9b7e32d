package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.WcFlags;
import io.verbena.verbs.WcOpcode;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.Completion;
import io.verbena.verbs.tck.peer.Waiting;
import io.verbena.verbs.tck.peer.WorkSpec;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** All that an unreliable connection carries, at every size, path MTU, threading mode and kind of memory. */
@DisplayName("C09 C10 SEND, C11 C12 WRITE, C14 several entries, C15 INLINE, C16 no bytes: UC")
@Timeout(60)
class UnreliableTransfersTest extends FixtureTest {
    private static final long UNTOUCHED = 99;
    private static final int MARGIN = 32;
    private static final int GAP = 24;
    private static final int BAD_KEY = 0x0BAD_0BAD;
    private static final int INLINE = SendFlags.SIGNALED | SendFlags.INLINE;

    private Pair pair;
    private Buffer local;
    private RemoteBuffer remote;

    private void prepare(Shape shape) {
        PairSpec spec = shape.spec().type(QueuePairType.UC).maxSge(8);
        spec.a().maxInline(200);
        pair = fixture.connected(spec);
        local = fixture.local(Shape.largest() + 1024, shape.kind());
        remote = fixture.remote(Shape.largest() + 1024, shape.kind());
    }

    private Completion exchange(WorkSpec work) {
        pair.post(work);
        pair.await(WcStatus.SUCCESS);
        return pair.awaitRemoteReceive(WcStatus.SUCCESS);
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#all")
    void messagesArriveWithContentLengthAndImmediate(Shape shape) {
        prepare(shape);
        for (int size : shape.sizes()) {
            for (Opcode opcode : new Opcode[] {Opcode.SEND, Opcode.SEND_WITH_IMM}) {
                boolean imm = opcode == Opcode.SEND_WITH_IMM;
                int start = size % 7 + 1;
                local.fill(3, size, size);
                remote.fill(start + size, MARGIN, UNTOUCHED);
                // Once with room behind it, once exactly as long as the message.
                pair.postRemoteReceive(size, remote, start, imm ? size : size + MARGIN);
                Completion received = exchange(WorkSpec.send(7, opcode)
                        .sge(local.address() + 3, size, local.lkey()).imm(~size));
                assertEquals(size, received.wrId());
                assertEquals(size, received.byteLen());
                assertEquals(WcOpcode.RECV, received.opcode());
                assertEquals(imm ? WcFlags.WITH_IMM : 0, received.flags() & WcFlags.WITH_IMM);
                assertEquals(imm ? ~size : received.imm(), received.imm());
                remote.check(start, size, size, "message of " + size);
                remote.check(start + size, MARGIN, UNTOUCHED, "behind message of " + size);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#all")
    void writesArriveAndNeighboursStayUntouched(Shape shape) {
        prepare(shape);
        for (int size : shape.sizes()) {
            int start = MARGIN + size % 9;
            local.fill(start, size, size);
            remote.fill(start - MARGIN, MARGIN, UNTOUCHED);
            remote.fill(start + size, MARGIN, UNTOUCHED + 1);
            pair.post(WorkSpec.send(7, Opcode.RDMA_WRITE).sge(local.address() + start, size, local.lkey())
                    .remote(remote.address() + start, remote.rkey()));
            assertEquals(WcOpcode.RDMA_WRITE, pair.await(WcStatus.SUCCESS).opcode());
            remote.await(start, size, size, "write of " + size);
            remote.check(start - MARGIN, MARGIN, UNTOUCHED, "before write of " + size);
            remote.check(start + size, MARGIN, UNTOUCHED + 1, "behind write of " + size);
        }
        pair.expectNoRemoteReceive();
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#all")
    void writesWithImmediateTakeAReceiveAndLeaveItsBufferAlone(Shape shape) {
        prepare(shape);
        RemoteBuffer untouched = fixture.remote(256, shape.kind()).fill(UNTOUCHED);
        for (int size : shape.sizes()) {
            local.fill(0, size, size + 1);
            remote.fill(size, MARGIN, UNTOUCHED);
            pair.postRemoteReceive(size + 50, untouched, 0, 256);
            Completion received = exchange(WorkSpec.send(7, Opcode.RDMA_WRITE_WITH_IMM)
                    .sge(local.address(), size, local.lkey()).remote(remote.address(), remote.rkey()).imm(~size));
            assertEquals(size + 50, received.wrId());
            assertEquals(WcOpcode.RECV_RDMA_WITH_IMM, received.opcode());
            assertEquals(size, received.byteLen());
            assertEquals(~size, received.imm());
            remote.check(0, size, size + 1, "write of " + size);
            remote.check(size, MARGIN, UNTOUCHED, "behind write of " + size);
            untouched.check(0, 256, UNTOUCHED, "buffer of the receive");
        }
    }

    /** Cuts a message into three pieces with gaps, and entries of no bytes around them. */
    private static WorkSpec cut(WorkSpec spec, long address, int size, int lkey) {
        int first = size / 3;
        int second = (size - first) / 2;
        return spec.sge(0, 0, BAD_KEY).sge(address, first, lkey).sge(-1, 0, BAD_KEY)
                .sge(address + first + GAP, second, lkey).sge(1, 0, 0)
                .sge(address + first + second + 2 * GAP, size - first - second, lkey).sge(address, 0, lkey);
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#all")
    void piecesAreGatheredAndScatteredInOrder(Shape shape) {
        prepare(shape);
        for (int size : shape.sizes()) {
            local.fill(0, size, size);
            // Scattered by the first message, gathered again by the second one, of the other side.
            pair.postRemoteReceive(cut(WorkSpec.receive(1), remote.address(), size, remote.lkey()));
            assertEquals(size, exchange(WorkSpec.send(7, Opcode.SEND).sge(local.address(), size, local.lkey()))
                    .byteLen());
            local.fill(0, size, UNTOUCHED);
            pair.postReceive(WorkSpec.receive(2).sge(local.address(), size, local.lkey()));
            pair.postRemote(cut(WorkSpec.send(3, Opcode.SEND), remote.address(), size, remote.lkey()));
            assertEquals(size, pair.awaitReceive().byteLen());
            pair.awaitRemoteSends(1);
            local.check(0, size, size, "there and back, " + size);
            pair.postRemote(cut(WorkSpec.send(4, Opcode.RDMA_WRITE), remote.address(), size, remote.lkey())
                    .remote(local.address() + 8, local.region().rkey()));
            pair.awaitRemoteSends(1);
            local.await(8, size, size, "gathered write of " + size);
        }
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#all")
    void inlineDataIsTakenDuringThePostWhateverItsKey(Shape shape) {
        prepare(shape);
        int max = pair.qp().capabilities().maxInlineData();
        for (int size : new int[] {0, 1, 2, 3, 4, 5, 31, 32, 33, 64, 65, 199, max}) {
            local.fill(0, size, size);
            pair.postRemoteReceive(2, remote, 0, size);
            pair.modify(QueuePairState.SQD);
            pair.post(WorkSpec.send(1, Opcode.SEND).sge(local.address(), size, ~local.lkey()).flags(INLINE),
                    WorkSpec.send(2, Opcode.RDMA_WRITE).sge(local.address(), size, 0).flags(INLINE)
                            .remote(remote.address() + 512, remote.rkey()));
            local.fill(0, size, UNTOUCHED);
            pair.modify(QueuePairState.RTS);
            pair.await(2);
            assertEquals(size, pair.awaitRemoteReceive(WcStatus.SUCCESS).byteLen());
            remote.check(0, size, size, "inline send of " + size);
            remote.check(512, size, size, "inline write of " + size);
        }
        assertEquals(PostStatus.INLINE_TOO_LONG,
                pair.qp().postSend(1, local.address(), max + 1L, local.lkey(), INLINE));
        assertEquals(PostStatus.INLINE_NOT_REGISTERED, pair.qp().postSend(1, 8, 16, local.lkey(), INLINE));
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#all")
    void writesOfNoBytesCheckNeitherKeyNorAddress(Shape shape) {
        prepare(shape);
        pair.post(WorkSpec.send(1, Opcode.RDMA_WRITE),
                WorkSpec.send(2, Opcode.RDMA_WRITE).sge(5, 0, 77).sge(-1, 0, -1).remote(-1, -1));
        pair.await(2).forEach(each -> assertEquals(WcStatus.SUCCESS, each.status()));
        assertEquals(PostStatus.OK, pair.qp().postWrite(3, 0, 0, 0, 0, 0, SendFlags.SIGNALED));
        pair.await(WcStatus.SUCCESS);
        pair.postRemoteReceive(5, remote, 0, 64);
        Completion received = exchange(WorkSpec.send(1, Opcode.RDMA_WRITE_WITH_IMM).imm(0xCAFE_BABE));
        assertEquals(0, received.byteLen());
        assertEquals(0xCAFE_BABE, received.imm());
        assertEquals(WcOpcode.RECV_RDMA_WITH_IMM, received.opcode());
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void simpleCallsDoTheSameAsLists(Shape shape) {
        prepare(shape);
        for (int size : shape.sizes()) {
            local.fill(0, size, size + 4);
            pair.postRemoteReceive(1, remote, 0, size);
            assertEquals(PostStatus.OK,
                    pair.qp().postSend(1, local.address(), size, local.lkey(), SendFlags.SIGNALED));
            assertEquals(1, pair.await(WcStatus.SUCCESS).wrId());
            assertEquals(size, pair.awaitRemoteReceive(WcStatus.SUCCESS).byteLen());
            remote.check(0, size, size + 4, "postSend of " + size);
            local.fill(0, size, size + 5);
            assertEquals(PostStatus.OK, pair.qp().postWrite(2, local.address(), size, local.lkey(), remote.address(),
                    remote.rkey(), SendFlags.SIGNALED));
            assertEquals(2, pair.await(WcStatus.SUCCESS).wrId());
            remote.await(0, size, size + 5, "postWrite of " + size);
        }
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#all")
    void sequenceNumbersCountPackets(Shape shape) {
        prepare(shape);
        int psn = pair.qp().query().sqPsn();
        for (Opcode opcode : new Opcode[] {Opcode.RDMA_WRITE, Opcode.SEND}) {
            for (int size : shape.sizes()) {
                pair.postRemoteReceive(1, remote, 0, size);
                pair.post(WorkSpec.send(1, opcode).sge(local.address(), size, local.lkey())
                        .remote(remote.address(), remote.rkey()));
                pair.await(WcStatus.SUCCESS);
                psn = psn + Math.max(1, Math.ceilDiv(size, shape.mtu().bytes())) & 0xFF_FFFF;
                assertEquals(psn, pair.qp().query().sqPsn(), opcode + " of " + size);
                int wanted = psn;
                Waiting.until(() -> pair.queryRemote().rqPsn() == wanted, Waiting.LIMIT_NANOS);
                assertEquals(psn, pair.queryRemote().rqPsn(), opcode + " of " + size);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void queuePairConnectedToItselfReceivesItsOwnMessages(Shape shape) {
        PairSpec spec = shape.spec().type(QueuePairType.UC);
        pair = fixture.pair(spec);
        local = fixture.local(2 * Shape.largest(), shape.kind());
        spec.linkA().connect(pair.qp(),
                new QueuePairEndpoint(fixture.a().gid(), pair.qp().qpNum(), spec.linkA().psn()));
        for (int size : shape.sizes()) {
            local.fill(0, size, size);
            pair.postReceive(WorkSpec.receive(3).sge(local.address() + Shape.largest(), size, local.lkey()));
            pair.post(WorkSpec.send(7, Opcode.SEND).sge(local.address(), size, local.lkey()));
            pair.await(WcStatus.SUCCESS);
            assertEquals(size, pair.awaitReceive().byteLen());
            local.check(Shape.largest(), size, size, "message of " + size + " to itself");
        }
    }
}
