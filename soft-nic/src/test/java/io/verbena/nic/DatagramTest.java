package io.verbena.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.AddressVector;
import io.verbena.verbs.Destination;
import io.verbena.verbs.DeviceLimit;
import io.verbena.verbs.Errno;
import io.verbena.verbs.Gid;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairCapabilities;
import io.verbena.verbs.QueuePairConfig;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.ReceiveRequests;
import io.verbena.verbs.RouteHeader;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.SendRequests;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.SharedReceiveQueueConfig;
import io.verbena.verbs.Threading;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WcFlags;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.WorkCompletion;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Datagrams (C62): header area, sender's number, queue keys, what gets lost without a word, replies, groups. */
class DatagramTest {
    private static final int QKEY = 0x1111_1111;
    private static final Gid GROUP = new Gid(0xFF0E_0000_0000_0000L, 5);

    private final End a = new End("soft", Setup.of(Threading.SAFE, 16));
    private final End b = new End("soft1", Setup.of(Threading.SAFE, 16));
    private final List<QueuePair> queuePairs = new ArrayList<>();
    private final QueuePair from = open(a, null);
    private final QueuePair to = open(b, null);
    private final AddressHandle toB = a.pd.createAddressHandle(AddressVector.to(b.context.queryGid(1, 0).gid()));
    private final Destination peer = new Destination(toB, to.qpNum(), QKEY);

    private QueuePair open(End end, SharedReceiveQueue srq) {
        QueuePair qp = end.pd.createQueuePair(QueuePairConfig.rc(end.sendCq, QueuePairCapabilities.ofDepth(16))
                .withRecvCq(end.recvCq).withType(QueuePairType.UD).withSrq(srq));
        bringUp(qp);
        queuePairs.add(qp);
        return qp;
    }

    private static void bringUp(QueuePair qp) {
        qp.modify(new QueuePairAttributes().state(QueuePairState.INIT).pkeyIndex(0).port(1).qkey(QKEY));
        qp.modify(QueuePairAttributes.toState(QueuePairState.RTR));
        qp.modify(QueuePairAttributes.toState(QueuePairState.RTS).sqPsn(3));
    }

    @AfterEach
    void close() {
        toB.close();
        queuePairs.forEach(QueuePair::close);
        a.close();
        b.close();
    }

    private int send(long wrId, long length, Destination destination) {
        return from.postSend(wrId, a.at(0), length, a.region.lkey(), destination, SendFlags.SIGNALED);
    }

    private int receive(QueuePair qp, long wrId, long offset, long length) {
        return qp.postReceive(wrId, b.at(offset), length, b.region.lkey());
    }

    private void nothingArrives() {
        assertEquals(0, b.recvCq.poll(new WorkCompletion()));
    }

    @Test
    void aDatagramArrivesBehindItsHeader() {
        a.set(0, 42);
        b.set(512 + RouteHeader.BYTES + 8, -1);
        End.ok(receive(to, 7, 512, 100));
        End.ok(send(1, 8, peer));
        End.expect(a.sendCq, 1);
        WorkCompletion completion = End.next(b.recvCq);
        assertEquals(7, completion.wrId());
        assertEquals(48, completion.byteLen());
        assertEquals(WcFlags.GRH, completion.flags());
        assertEquals(from.qpNum(), completion.srcQp());
        assertEquals(to.qpNum(), completion.qpNum());
        assertEquals(42, b.get(512 + RouteHeader.BYTES));
        assertEquals(-1, b.get(512 + RouteHeader.BYTES + 8));
        assertEquals(a.context.queryGid(1, 0).gid(), RouteHeader.source(b.memory.segment().asSlice(512)));
        assertEquals(b.context.queryGid(1, 0).gid(), RouteHeader.destination(b.memory.segment().asSlice(512)));
    }

    @Test
    void aReplyGoesBackToWhereTheCompletionCameFrom() {
        a.set(0, 1);
        End.ok(receive(to, 7, 0, 100));
        End.ok(send(1, 8, peer));
        WorkCompletion completion = End.next(b.recvCq);
        End.ok(from.postReceive(9, a.at(1_024), 100, a.region.lkey()));
        b.set(2_048, 77);
        try (AddressHandle back = b.pd.createAddressHandle(completion, b.memory.segment(), 1)) {
            End.ok(to.postSend(2, b.at(2_048), 8, b.region.lkey(),
                    new Destination(back, completion.srcQp(), QKEY), SendFlags.SIGNALED));
            End.expect(b.sendCq, 2);
        }
        End.expect(a.recvCq, 9);
        assertEquals(77, a.get(1_024 + RouteHeader.BYTES));
        assertThrows(VerbsException.class,
                () -> b.pd.createAddressHandle(new WorkCompletion(), b.memory.segment(), 1));
        assertThrows(VerbsException.class, () -> RouteHeader.source(b.memory.segment().asSlice(0, 39)));
    }

    @Test
    void whatDoesNotFitIsLostWithoutAWord() {
        End.ok(send(1, 8, peer)); // no receive
        End.expect(a.sendCq, 1);
        End.ok(receive(to, 1, 0, 47)); // one byte short
        End.ok(send(2, 8, peer));
        End.expect(a.sendCq, 2);
        End.ok(send(3, 8, new Destination(toB, to.qpNum(), QKEY + 1)));
        End.expect(a.sendCq, 3);
        End.ok(send(4, 8, new Destination(toB, to.qpNum() ^ 1, QKEY)));
        End.expect(a.sendCq, 4);
        nothingArrives();
        assertEquals(QueuePairState.RTS, to.state());
        End.ok(send(5, 7, peer)); // fits the receive that was left alone
        End.expect(b.recvCq, 1);
    }

    @Test
    void theOwnQueueKeyGoesOutWhenTheWantedOneSaysSo() {
        End.ok(receive(to, 1, 0, 100));
        End.ok(send(1, 0, new Destination(toB, to.qpNum(), 0x8000_0000)));
        End.expect(b.recvCq, 1);
    }

    @Test
    void tooLongForThePortFailsAndStopsSendsOnly() {
        End.ok(send(1, 4_097, peer));
        assertEquals(WcStatus.LOC_LEN_ERR, End.next(a.sendCq).status());
        assertEquals(QueuePairState.SQE, from.state());
        End.ok(send(2, 8, peer));
        assertEquals(WcStatus.WR_FLUSH_ERR, End.next(a.sendCq).status());
        End.ok(from.postReceive(5, a.at(0), 100, a.region.lkey()));
        try (AddressHandle toA = b.pd.createAddressHandle(AddressVector.to(a.context.queryGid(1, 0).gid()))) {
            End.ok(to.postSend(3, b.at(0), 8, b.region.lkey(), new Destination(toA, from.qpNum(), QKEY), 0));
        }
        End.expect(a.recvCq, 5);
        from.modify(QueuePairAttributes.toState(QueuePairState.RTS));
        End.ok(receive(to, 6, 0, 4_136));
        End.ok(send(4, 4_096, peer));
        End.expect(a.sendCq, 4);
        assertEquals(4_136, End.next(b.recvCq).byteLen());
    }

    @Test
    void onlySendsWithAnAddressArePosted() {
        assertEquals(PostStatus.BAD_ADDRESS_HANDLE, from.postSend(1, a.at(0), 8, a.region.lkey(), 0));
        assertEquals(PostStatus.BAD_OPCODE,
                from.postWrite(1, a.at(0), 8, a.region.lkey(), b.at(0), b.region.rkey(), 0));
        assertEquals(PostStatus.BAD_OPCODE, from.postRead(1, a.at(0), 8, a.region.lkey(), b.at(0), b.region.rkey(), 0));
        assertEquals(PostStatus.BAD_OPCODE,
                from.postFetchAndAdd(1, a.at(0), a.region.lkey(), b.at(0), b.region.rkey(), 1, 0));
        SendRequests requests = new SendRequests(1, 1);
        requests.add(1, Opcode.SEND, 0).sge(a.at(0), 8, a.region.lkey());
        assertEquals(PostStatus.BAD_ADDRESS_HANDLE, from.postSend(requests));
        requests.clear().add(1, Opcode.RDMA_WRITE, 0).sge(a.at(0), 8, a.region.lkey());
        assertEquals(PostStatus.BAD_OPCODE, from.postSend(requests));
        assertEquals(PostStatus.BAD_OPCODE, from.postAll(requests));
        requests.clear().add(1, Opcode.RDMA_WRITE, 0).to(toB, to.qpNum(), QKEY);
        assertEquals(PostStatus.BAD_OPCODE, from.postSend(requests));
        try (AddressHandle foreign = b.pd.createAddressHandle(AddressVector.to(b.context.queryGid(1, 0).gid()))) {
            assertEquals(PostStatus.BAD_ADDRESS_HANDLE, send(1, 8, new Destination(foreign, to.qpNum(), QKEY)));
        }
        AddressHandle closed = a.pd.createAddressHandle(AddressVector.to(b.context.queryGid(1, 0).gid()));
        closed.close();
        assertEquals(PostStatus.BAD_ADDRESS_HANDLE, send(1, 8, new Destination(closed, to.qpNum(), QKEY)));
    }

    @Test
    void listsWithAClosedHandleTellWhichRequestHasIt() {
        AddressHandle closed = a.pd.createAddressHandle(AddressVector.to(b.context.queryGid(1, 0).gid()));
        SendRequests requests = new SendRequests(3, 1);
        for (AddressHandle each : List.of(toB, closed, toB)) {
            requests.add(requests.size(), Opcode.SEND, SendFlags.SIGNALED).sge(a.at(0), 8, a.region.lkey())
                    .to(each, to.qpNum(), QKEY);
        }
        closed.close();
        assertEquals(PostStatus.BAD_ADDRESS_HANDLE, from.postAll(requests));
        assertEquals(1, requests.refusedIndex());
        assertEquals(0, a.sendCq.poll(new WorkCompletion()));
        assertEquals(PostStatus.BAD_ADDRESS_HANDLE, from.postSend(requests));
        assertEquals(1, requests.refusedIndex());
        End.expect(a.sendCq, 0);
        assertEquals(0, a.sendCq.poll(new WorkCompletion()));
    }

    @Test
    void receivesPostedDuringAResetDoNotOutliveIt() {
        QueuePair deep = b.pd.createQueuePair(QueuePairConfig.rc(b.sendCq, QueuePairCapabilities.ofDepth(8_192))
                .withRecvCq(b.recvCq).withType(QueuePairType.UD));
        queuePairs.add(deep);
        for (int round = 0; round < 40; round++) {
            bringUp(deep);
            long before = deep.snapshot().receivesPosted();
            try (Crew crew = new Crew()) {
                // More posters than processors: some of them are stopped in the middle of a post.
                for (int t = 0; t < 2 * Runtime.getRuntime().availableProcessors(); t++) {
                    crew.start("poster", () -> postUntilRefused(deep));
                }
                Crew.await("posts", () -> deep.snapshot().receivesPosted() > before + 1_000);
                deep.modify(QueuePairAttributes.toState(QueuePairState.RESET));
            }
            bringUp(deep);
            End.ok(send(round, 8, new Destination(toB, deep.qpNum(), QKEY)));
            End.expect(a.sendCq, round);
            nothingArrives();
            deep.modify(QueuePairAttributes.toState(QueuePairState.RESET));
        }
    }

    private void postUntilRefused(QueuePair qp) {
        int status = PostStatus.OK;
        while (status == PostStatus.OK || status == PostStatus.QUEUE_FULL) {
            status = receive(qp, 1, 0, 100);
        }
        assertEquals(PostStatus.WRONG_STATE, status);
    }

    @Test
    void immediateAndGatherAndScatter() {
        SendRequests requests = new SendRequests(1, 2);
        a.set(0, 1);
        a.set(64, 2);
        requests.add(1, Opcode.SEND_WITH_IMM, SendFlags.SIGNALED).sge(a.at(0), 8, a.region.lkey())
                .sge(a.at(64), 8, a.region.lkey()).imm(0xCAFE).to(toB, to.qpNum(), QKEY);
        QueuePair wide = b.pd.createQueuePair(new QueuePairConfig(QueuePairType.UD, b.sendCq, b.recvCq, null,
                new QueuePairCapabilities(4, 4, 4, 4, 0), false, Threading.SINGLE));
        bringUp(wide);
        queuePairs.add(wide);
        ReceiveRequests receives = new ReceiveRequests(1, 3);
        receives.add(3).sge(b.at(0), 20, b.region.lkey()).sge(b.at(124), 28, b.region.lkey())
                .sge(b.at(256), 8, b.region.lkey());
        End.ok(wide.postReceive(receives));
        requests.clear().add(1, Opcode.SEND_WITH_IMM, SendFlags.SIGNALED).sge(a.at(0), 8, a.region.lkey())
                .sge(a.at(64), 8, a.region.lkey()).imm(0xCAFE).to(toB, wide.qpNum(), QKEY);
        QueuePair two = a.pd.createQueuePair(new QueuePairConfig(QueuePairType.UD, a.sendCq, a.recvCq, null,
                new QueuePairCapabilities(4, 4, 2, 4, 0), false, Threading.SINGLE));
        bringUp(two);
        queuePairs.add(two);
        End.ok(two.postSend(requests));
        WorkCompletion completion = End.next(b.recvCq);
        assertEquals(0xCAFE, completion.imm());
        assertEquals(WcFlags.GRH | WcFlags.WITH_IMM, completion.flags());
        assertEquals(1, b.get(124 + 20));
        assertEquals(2, b.get(256));
    }

    @Test
    void receivesAreFlushedInErr() {
        End.ok(receive(to, 1, 0, 100));
        End.ok(receive(to, 2, 0, 100));
        to.modify(QueuePairAttributes.toState(QueuePairState.ERR));
        for (int i = 1; i <= 2; i++) {
            WorkCompletion completion = End.next(b.recvCq);
            assertEquals(i, completion.wrId());
            assertEquals(WcStatus.WR_FLUSH_ERR, completion.status());
        }
        End.ok(receive(to, 3, 0, 100));
        assertEquals(3, End.next(b.recvCq).wrId());
        End.ok(send(9, 8, peer));
        End.expect(a.sendCq, 9);
        to.modify(QueuePairAttributes.toState(QueuePairState.RESET));
        bringUp(to);
        End.ok(receive(to, 4, 0, 100));
        End.ok(send(10, 8, peer));
        End.expect(b.recvCq, 4);
    }

    @Test
    void aGroupGetsACopyEach() {
        QueuePair second = open(b, null);
        try (SharedReceiveQueue srq = b.pd.createSharedReceiveQueue(
                new SharedReceiveQueueConfig(8, 1, Threading.SAFE));
                AddressHandle toGroup = a.pd.createAddressHandle(AddressVector.to(GROUP))) {
            QueuePair third = open(b, srq);
            for (QueuePair member : List.of(to, second, third)) {
                member.attachMulticast(GROUP);
            }
            to.attachMulticast(GROUP); // counts once
            End.ok(receive(to, 1, 0, 100));
            End.ok(receive(second, 2, 128, 100));
            End.ok(srq.postReceive(3, b.at(256), 100, b.region.lkey()));
            a.set(0, 5);
            End.ok(send(1, 8, new Destination(toGroup, Destination.MULTICAST_QPN, QKEY)));
            End.expect(a.sendCq, 1);
            long seen = 0;
            for (int i = 0; i < 3; i++) {
                WorkCompletion completion = End.next(b.recvCq);
                assertTrue(completion.isSuccess());
                seen |= 1L << completion.wrId();
            }
            assertEquals(0b1110, seen);
            assertEquals(5, b.get(128 + RouteHeader.BYTES));
            assertEquals(5, b.get(256 + RouteHeader.BYTES));
            assertThrows(VerbsException.class, third::close);
            for (QueuePair member : List.of(to, second, third)) {
                member.detachMulticast(GROUP);
            }
            assertThrows(VerbsException.class, () -> to.detachMulticast(GROUP));
            assertThrows(VerbsException.class, () -> to.attachMulticast(new Gid(1, 1)));
            assertThrows(VerbsException.class, () -> a.qp.attachMulticast(GROUP));
            queuePairs.remove(third);
            third.close();
        }
    }

    @Test
    void badVectorsAreRefused() {
        Gid gid = b.context.queryGid(1, 0).gid();
        assertThrows(VerbsException.class, () -> a.pd.createAddressHandle(null));
        assertThrows(VerbsException.class, () -> a.pd.createAddressHandle(AddressVector.to(Gid.ZERO)));
        VerbsException empty = assertThrows(VerbsException.class,
                () -> a.pd.createAddressHandle(new AddressVector(gid, 1, 1, 64, 0, 0)));
        assertEquals(Errno.EINVAL, empty.errno(), empty.getMessage());
        assertThrows(VerbsException.class, () -> a.pd.createAddressHandle(new AddressVector(gid, 0, 2, 64, 0, 0)));
        assertThrows(VerbsException.class, () -> a.pd.createAddressHandle(new AddressVector(gid, 0, 1, 256, 0, 0)));
        assertThrows(VerbsException.class,
                () -> a.pd.createAddressHandle(new AddressVector(gid, 0, 1, 64, 0, 1 << 20)));
        assertThrows(VerbsException.class, a.pd::close);
        assertNotEquals(0, a.context.queryDevice().limit(DeviceLimit.MAX_AH));
    }
}
