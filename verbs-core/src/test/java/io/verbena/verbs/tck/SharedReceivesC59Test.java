package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WcFlags;
import io.verbena.verbs.WcOpcode;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.Completion;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.PeerCommand;
import io.verbena.verbs.tck.peer.SharingCommand;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Who takes which receive of a shared queue, and what a queue that runs dry or a bad receive leads to. */
@DisplayName("C59 shared receive queue: taking")
@Timeout(60)
class SharedReceivesC59Test extends FixtureTest {
    private static final int STRIDE = 256;

    private RemoteSrq srq;
    private int recvCq;
    private Buffer local;
    private RemoteBuffer remote;

    private void prepare(int maxWr, int maxSge) {
        srq = RemoteSrq.create(fixture, maxWr, maxSge);
        recvCq = fixture.b().execute(new PeerCommand.CreateCompletionQueue(256, false, Threading.SAFE));
        local = fixture.local(8_192, MemoryKind.DEVICE);
        remote = fixture.remote(64 * STRIDE, MemoryKind.DEVICE);
    }

    /** A pair whose B draws from the shared queue and completes receives in the common queue. */
    private Pair connect(PairSpec spec) {
        return fixture.connected(spec.remoteSrq(srq).remoteRecvCq(recvCq));
    }

    private Pair connect(Threading threading) {
        return connect(new PairSpec().threading(threading));
    }

    private WorkSpec receive(long wrId, long bytes) {
        return WorkSpec.receive(wrId).sge(remote.address() + wrId * STRIDE, bytes, remote.lkey());
    }

    private WorkSpec send(long wrId, long bytes) {
        return WorkSpec.send(wrId, Opcode.SEND).sge(local.address(), bytes, local.lkey());
    }

    private static List<Long> ids(List<Completion> completions) {
        return completions.stream().map(Completion::wrId).toList();
    }

    private static List<Long> upTo(int count) {
        return LongStream.range(0, count).boxed().toList();
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void queuePairsTakeReceivesInTheOrderOfPosting(Threading threading) {
        prepare(64, 1);
        List<Pair> pairs = List.of(connect(threading), connect(threading), connect(threading));
        for (int i = 0; i < 60; i++) {
            srq.post(receive(i, STRIDE));
        }
        for (int i = 0; i < 60; i++) {
            local.fill(0, 100, i);
            pairs.get(i * i % 3).post(send(i, i));
            pairs.get(i * i % 3).await(WcStatus.SUCCESS);
        }
        List<Completion> received = pairs.getFirst().awaitRemoteReceives(60);
        assertEquals(60, received.stream().map(Completion::wrId).distinct().count());
        for (Completion each : received) {
            int i = (int) each.wrId();
            assertEquals(pairs.get(i * i % 3).remoteQpNum(), each.qpNum(), "who took receive " + i);
            assertEquals(i, each.byteLen());
            remote.check((long) i * STRIDE, i, i, "message " + i);
        }
    }

    /** Completions of one queue pair are in the order of its messages, also when others share the queue. */
    @ParameterizedTest
    @EnumSource(Threading.class)
    void completionsOfEachQueuePairKeepTheOrderOfItsMessages(Threading threading) {
        prepare(64, 1);
        List<Pair> pairs = List.of(connect(threading), connect(threading));
        for (int round = 0; round < 20; round++) {
            srq.postEmpty(0, 40);
            for (int i = 0; i < 20; i++) {
                pairs.get(0).post(WorkSpec.send(i, Opcode.SEND_WITH_IMM).imm(i));
                pairs.get(1).post(WorkSpec.send(i, Opcode.SEND_WITH_IMM).imm(i));
            }
            List<Completion> received = pairs.get(0).awaitRemoteReceives(40);
            for (Pair pair : pairs) {
                pair.await(20);
                assertEquals(upTo(20), received.stream().filter(each -> each.qpNum() == pair.remoteQpNum())
                        .map(each -> (long) each.imm()).toList());
            }
        }
    }

    /** A queue pair that sends much does not keep another from what is posted: whoever asks first gets it. */
    @ParameterizedTest
    @EnumSource(Threading.class)
    void busyQueuePairDoesNotStarveAnother(Threading threading) {
        prepare(8, 1);
        Pair busy = connect(threading);
        Pair quiet = connect(threading);
        int posted = 0;
        int left = 0;
        for (int round = 0; round < 30; round++) {
            quiet.post(WorkSpec.send(round, Opcode.SEND));
            for (; left < 40; left++) {
                busy.post(WorkSpec.send(left, Opcode.SEND));
            }
            boolean served = false;
            for (int turn = 0; turn < 400 && !served; turn++) {
                srq.post(WorkSpec.receive(posted++));
                Completion received = busy.awaitRemoteReceives(1).getFirst();
                served = received.qpNum() == quiet.remoteQpNum();
                if (!served) {
                    assertEquals(WcStatus.SUCCESS, busy.await().status());
                    busy.post(WorkSpec.send(0, Opcode.SEND));
                }
            }
            assertTrue(served, "the quiet queue pair got none of 400 receives in round " + round);
            assertEquals(WcStatus.SUCCESS, quiet.await().status());
        }
        while (left-- > 0) {
            srq.post(WorkSpec.receive(posted++));
            busy.awaitRemoteReceives(1);
            busy.await(WcStatus.SUCCESS);
        }
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void messagesOfEverySizeArrive(Shape shape) {
        srq = RemoteSrq.create(fixture, 4, 3);
        PairSpec spec = shape.spec().remoteSrq(srq);
        Pair pair = fixture.connected(spec);
        local = fixture.local(Shape.largest(), shape.kind());
        remote = fixture.remote(Shape.largest() + 64, shape.kind());
        for (int size : shape.sizes()) {
            local.fill(0, size, size);
            remote.fill(size, 32, 99);
            int third = size / 3;
            srq.post(WorkSpec.receive(size).sge(remote.address(), third, remote.lkey()).sge(1, 0, 7)
                    .sge(remote.address() + third, size - third + 16, remote.lkey()));
            pair.post(WorkSpec.send(1, Opcode.SEND_WITH_IMM).sge(local.address(), size, local.lkey()).imm(~size));
            pair.await(WcStatus.SUCCESS);
            Completion received = pair.awaitRemoteReceive(WcStatus.SUCCESS);
            assertEquals(size, received.wrId());
            assertEquals(size, received.byteLen());
            assertEquals(~size, received.imm());
            assertEquals(WcFlags.WITH_IMM, received.flags() & WcFlags.WITH_IMM);
            remote.check(0, size, size, "message of " + size);
            remote.check(size, 32, 99, "behind message of " + size);
        }
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void writeWithImmediateTakesAReceiveAndLeavesItsBufferAlone(Threading threading) {
        prepare(8, 1);
        Pair pair = connect(threading);
        RemoteBuffer target = fixture.remote(70_000, MemoryKind.DEVICE);
        Buffer source = fixture.local(70_000, MemoryKind.DEVICE);
        for (int size : new int[] {0, 1, 64, 1024, 70_000}) {
            source.fill(size);
            remote.fill(0, STRIDE, 9);
            srq.post(receive(0, STRIDE));
            pair.post(WorkSpec.send(3, Opcode.RDMA_WRITE_WITH_IMM).sge(source.address(), size, source.lkey())
                    .remote(target.address(), target.rkey()).imm(size));
            pair.await(WcStatus.SUCCESS);
            Completion received = pair.awaitRemoteReceive(WcStatus.SUCCESS);
            assertEquals(WcOpcode.RECV_RDMA_WITH_IMM, received.opcode());
            assertEquals(size, received.byteLen());
            assertEquals(size, received.imm());
            target.check(0, size, size, "write of " + size);
            remote.check(0, STRIDE, 9, "buffer of the receive");
        }
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void emptyQueueMakesTheSenderWaitUntilAReceiveIsPosted(Threading threading) {
        prepare(4, 1);
        Pair pair = connect(threading);
        for (int i = 0; i < 5; i++) {
            pair.post(send(i, 64));
            pair.expectNoCompletion();
            srq.post(receive(i, 64));
            assertEquals(i, pair.await(WcStatus.SUCCESS).wrId());
            assertEquals(i, pair.awaitRemoteReceive(WcStatus.SUCCESS).wrId());
        }
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void emptyQueueExhaustsTheRetriesOfItsSenderOnly(Threading threading) {
        prepare(4, 1);
        PairSpec impatient = new PairSpec().threading(threading);
        impatient.linkA().rnrRetry(1);
        Pair first = connect(impatient);
        Pair second = connect(threading);
        first.post(send(1, 8));
        second.post(send(2, 8));
        first.await(WcStatus.RNR_RETRY_EXC_ERR);
        srq.post(receive(5, 8));
        second.await(WcStatus.SUCCESS);
        assertEquals(second.remoteQpNum(), second.awaitRemoteReceive(WcStatus.SUCCESS).qpNum());
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void messageTooLongEndsItsReceiveAndItsQueuePairsOnly(Threading threading) {
        prepare(4, 1);
        Pair first = connect(threading);
        Pair second = connect(threading);
        remote.fill(2);
        srq.post(receive(0, 63), receive(1, 64));
        first.post(send(1, 64));
        first.await(WcStatus.REM_INV_REQ_ERR);
        Completion refused = first.awaitRemoteReceive(WcStatus.LOC_LEN_ERR);
        assertEquals(0, refused.wrId());
        assertEquals(first.remoteQpNum(), refused.qpNum());
        first.awaitState(QueuePairState.ERR);
        first.awaitRemoteState(QueuePairState.ERR);
        local.fill(0, 64, 5);
        second.post(send(2, 64));
        second.await(WcStatus.SUCCESS);
        assertEquals(1, second.awaitRemoteReceive(WcStatus.SUCCESS).wrId());
        remote.check(STRIDE, 64, 5, "message after the one that did not fit");
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void badKeyInAReceiveEndsItAndItsQueuePairsOnly(Threading threading) {
        prepare(8, 2);
        Pair second = connect(threading);
        RemoteBuffer readOnly = fixture.remote(64, MemoryKind.DEVICE, 0);
        RemoteBuffer foreign = remote.again(PeerCommand.OTHER_DOMAIN, 0, 64, Fixture.ALL_ACCESS);
        for (WorkSpec bad : List.of(
                WorkSpec.receive(7).sge(remote.address(), 64, remote.lkey() ^ 0x10),
                WorkSpec.receive(7).sge(remote.address() - 1, 64, remote.lkey()),
                WorkSpec.receive(7).sge(remote.address(), 32, remote.lkey()).sge(8, 32, remote.lkey()),
                WorkSpec.receive(7).sge(readOnly.address(), 64, readOnly.lkey()),
                WorkSpec.receive(7).sge(foreign.address(), 64, foreign.lkey()))) {
            Pair first = connect(threading);
            srq.post(bad, receive(1, 64));
            first.post(send(1, 64));
            first.await(WcStatus.REM_OP_ERR);
            assertEquals(7, first.awaitRemoteReceive(WcStatus.LOC_PROT_ERR).wrId());
            first.awaitRemoteState(QueuePairState.ERR);
            second.post(send(2, 64));
            second.await(WcStatus.SUCCESS);
            assertEquals(1, second.awaitRemoteReceive(WcStatus.SUCCESS).wrId());
        }
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void regionRevokedAfterThePostFailsTheMessageNotTheMemory(Threading threading) {
        prepare(4, 1);
        Pair pair = connect(threading);
        RemoteBuffer gone = fixture.remote(64, MemoryKind.DEVICE);
        srq.post(WorkSpec.receive(1).sge(gone.address(), 64, gone.lkey()));
        gone.deregister();
        gone.fill(3);
        pair.post(send(1, 64));
        pair.await(WcStatus.REM_OP_ERR);
        pair.awaitRemoteReceive(WcStatus.LOC_PROT_ERR);
        gone.check(0, 64, 3, "memory after its region was closed");
    }

    @ParameterizedTest
    @EnumSource(value = QueuePairType.class, names = {"RC", "UD"})
    void receivesArePostedToTheSharedQueueOnly(QueuePairType type) {
        prepare(4, 1);
        Pair pair = connect(new PairSpec().type(type));
        assertEquals(PostStatus.HAS_SRQ, fixture.b().execute(new PeerCommand.PostReceive(pair.remoteQp(),
                new ArrayList<>(List.of(receive(1, 64))))));
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void placesAreFreeOnceTheirCompletionsArePolled(Threading threading) {
        prepare(6, 1);
        int capacity = srq.query().capacity();
        Pair pair = connect(threading);
        for (int round = 0; round < 50; round++) {
            srq.postEmpty(0, capacity);
            assertEquals(PostStatus.QUEUE_FULL, srq.tryPost(WorkSpec.receive(99)));
            for (int i = 0; i < capacity; i++) {
                pair.post(WorkSpec.send(i, Opcode.SEND));
            }
            pair.await(capacity);
            assertEquals(upTo(capacity), ids(pair.awaitRemoteReceives(capacity)));
        }
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void queuePairsWithDifferentCompletionQueuesShareOneQueue(Threading threading) {
        prepare(8, 1);
        Pair first = fixture.connected(new PairSpec().threading(threading).remoteSrq(srq));
        Pair second = fixture.connected(new PairSpec().threading(threading).remoteSrq(srq));
        for (int round = 0; round < 30; round++) {
            srq.postEmpty(0, 8);
            for (int i = 0; i < 8; i++) {
                Pair pair = i % 2 == 0 ? first : second;
                pair.post(WorkSpec.send(i, Opcode.SEND));
                pair.await(WcStatus.SUCCESS);
            }
            assertEquals(List.of(0L, 2L, 4L, 6L), ids(first.awaitRemoteReceives(4)));
            assertEquals(List.of(1L, 3L, 5L, 7L), ids(second.awaitRemoteReceives(4)));
        }
        first.expectNoRemoteReceive();
        second.expectNoRemoteReceive();
    }

    /** A reliable connection and datagrams draw from the same queue. */
    @ParameterizedTest
    @EnumSource(Threading.class)
    void connectionsAndDatagramsShareOneQueue(Threading threading) {
        prepare(8, 1);
        Pair reliable = connect(threading);
        Pair datagram = connect(new PairSpec().threading(threading).type(QueuePairType.UD));
        for (int i = 0; i < 20; i++) {
            local.fill(0, 100, i);
            srq.post(receive(0, 140), receive(1, 140));
            reliable.post(send(i, 100));
            reliable.await(WcStatus.SUCCESS);
            datagram.post(send(i, 100));
            datagram.await(WcStatus.SUCCESS);
            List<Completion> received = reliable.awaitRemoteReceives(2);
            long lengths = received.stream().filter(each -> each.wrId() == 1 && each.byteLen() == 140
                    && each.qpNum() == datagram.remoteQpNum() && each.srcQp() == datagram.qp().qpNum()).count()
                    + received.stream().filter(each -> each.wrId() == 0 && each.byteLen() == 100
                    && each.qpNum() == reliable.remoteQpNum()).count();
            assertEquals(2, lengths, received.toString());
            remote.check(0, 100, i, "message of the connection");
            remote.check(STRIDE + 40, 100, i, "datagram");
        }
    }

    /** The keys of receives belong to the domain of the shared queue, whatever that of the queue pair is. */
    @ParameterizedTest
    @EnumSource(value = QueuePairType.class, names = {"RC", "UD"})
    void keysAreThoseOfTheSharedQueuesDomain(QueuePairType type) {
        srq = new RemoteSrq(fixture.b(), fixture.b().execute(
                new SharingCommand.CreateSharedQueue(PeerCommand.OTHER_DOMAIN, 4, 1)));
        local = fixture.local(64, MemoryKind.DEVICE).fill(6);
        RemoteBuffer mine = fixture.remote(128, MemoryKind.DEVICE);
        RemoteBuffer others = mine.again(PeerCommand.OTHER_DOMAIN, 0, 128, Fixture.ALL_ACCESS);
        PairSpec spec = new PairSpec().type(type).remoteSrq(srq);
        Pair pair = fixture.connected(spec);
        srq.post(WorkSpec.receive(1).sge(others.address(), 128, others.lkey()));
        pair.post(send(1, 64));
        pair.await(WcStatus.SUCCESS);
        pair.awaitRemoteReceive(WcStatus.SUCCESS);
        mine.check(spec.header(), 64, 6, "message");
        srq.post(WorkSpec.receive(2).sge(mine.address(), 128, mine.lkey()));
        pair.post(send(2, 64));
        assertEquals(2, pair.awaitRemoteReceive(WcStatus.LOC_PROT_ERR).wrId());
        others.deregister();
    }
}
