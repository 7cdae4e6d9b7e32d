package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AddressVector;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Destination;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.SharedReceiveQueueConfig;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.tck.peer.Completion;
import io.verbena.verbs.tck.peer.LinkSpec;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.PeerCommand;
import io.verbena.verbs.tck.peer.QueuePairSpec;
import io.verbena.verbs.tck.peer.Waiting;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What the end of one queue pair, or of a completion queue, leaves of a shared receive queue: all but its own. */
@DisplayName("C59 shared receive queue: reset, destruction, overflow")
@Timeout(60)
class SharedReceiveTeardownC59Test extends FixtureTest {
    private static final int DEPTH = 8;

    private RemoteSrq srq;
    private int recvCq;
    private RemoteBuffer remote;

    private Pair connect(QueuePairType type) {
        if (srq == null) {
            srq = RemoteSrq.create(fixture, DEPTH, 1);
            recvCq = fixture.b().execute(new PeerCommand.CreateCompletionQueue(256, false, Threading.SAFE));
            remote = fixture.remote(64, MemoryKind.DEVICE);
        }
        return fixture.connected(new PairSpec().type(type).remoteSrq(srq).remoteRecvCq(recvCq));
    }

    private void post(int from, int to) {
        for (int i = from; i < to; i++) {
            srq.post(WorkSpec.receive(i).sge(remote.address(), 64, remote.lkey()));
        }
    }

    private static void send(Pair pair, int count) {
        for (int i = 0; i < count; i++) {
            pair.post(WorkSpec.send(i, Opcode.SEND));
            pair.await(WcStatus.SUCCESS);
        }
    }

    /** Sends to the shared queue of so many receives, and waits until all were taken: a datagram may be on its way. */
    private void deliver(Pair pair, int posted, int count) {
        srq.setLimit(posted - count + 1);
        send(pair, count);
        srq.awaitLimit();
    }

    private void end(Pair pair, boolean destroy) {
        if (destroy) {
            fixture.b().execute(new PeerCommand.Destroy(pair.remoteQp()));
        } else {
            pair.modifyRemote(QueuePairState.RESET);
        }
    }

    @ParameterizedTest
    @CsvSource({"RC, false", "RC, true", "UD, false", "UD, true"})
    void completionsOfTheQueuePairGoAndThoseOfOthersStay(QueuePairType type, boolean destroy) {
        Pair first = connect(type);
        Pair second = connect(type);
        post(0, DEPTH);
        for (int i = 0; i < DEPTH; i++) {
            deliver(i % 2 == 0 ? first : second, DEPTH - i, 1);
        }
        end(first, destroy);
        List<Completion> left = second.awaitRemoteReceives(DEPTH / 2);
        assertEquals(List.of(1L, 3L, 5L, 7L), left.stream().map(Completion::wrId).toList());
        second.expectNoRemoteReceive();
        post(0, srq.query().capacity());
        assertEquals(PostStatus.QUEUE_FULL, srq.tryPost(WorkSpec.receive(99)));
    }

    /** The dropped completions are never polled, so nobody would wait for that. */
    @ParameterizedTest
    @CsvSource({"RC, false", "RC, true", "UD, false", "UD, true"})
    void placesOfDroppedCompletionsAreFreeAtOnce(QueuePairType type, boolean destroy) {
        Pair first = connect(type);
        Pair second = connect(type);
        post(0, DEPTH);
        deliver(first, DEPTH, DEPTH);
        end(first, destroy);
        post(20, 20 + srq.query().capacity());
        send(second, DEPTH);
        assertEquals(20, second.awaitRemoteReceives(DEPTH).getFirst().wrId());
    }

    @ParameterizedTest
    @CsvSource({"RC, false", "RC, true", "UD, false", "UD, true"})
    void receivesNotTakenStayForOthers(QueuePairType type, boolean destroy) {
        Pair first = connect(type);
        post(0, DEPTH);
        deliver(first, DEPTH, 2);
        end(first, destroy);
        Pair second = connect(type);
        send(second, DEPTH - 2);
        assertEquals(List.of(2L, 3L, 4L, 5L, 6L, 7L),
                second.awaitRemoteReceives(DEPTH - 2).stream().map(Completion::wrId).toList());
    }

    @ParameterizedTest
    @EnumSource(value = QueuePairType.class, names = {"RC", "UD"})
    void queuePairIsAsGoodAsNewAfterAReset(QueuePairType type) {
        Pair pair = connect(type);
        for (int round = 0; round < 40; round++) {
            post(0, DEPTH);
            deliver(pair, DEPTH, DEPTH);
            pair.reconnect();
            post(0, 1);
            send(pair, 1);
            pair.awaitRemoteReceives(1);
            pair.expectNoRemoteReceive();
        }
    }

    /** A completion queue that is small counts what it holds; what is dropped must be counted no longer. */
    @ParameterizedTest
    @CsvSource({"RC, true", "RC, false", "UD, true", "UD, false"})
    void droppedCompletionsMakeRoomInASmallCompletionQueue(QueuePairType type, boolean shared) {
        int small = fixture.b().execute(new PeerCommand.CreateCompletionQueue(4, false, Threading.SAFE));
        RemoteBuffer buffer = fixture.remote(64, MemoryKind.DEVICE);
        for (int round = 0; round < 20; round++) {
            RemoteSrq queue = shared ? RemoteSrq.create(fixture, DEPTH, 1) : null;
            PairSpec spec = new PairSpec().type(type).remoteRecvCq(small);
            Pair pair = fixture.connected(shared ? spec.remoteSrq(queue) : spec);
            for (int i = 0; i < 4; i++) {
                WorkSpec receive = WorkSpec.receive(i).sge(buffer.address(), 64, buffer.lkey());
                if (shared) {
                    queue.post(receive);
                } else {
                    pair.postRemoteReceive(receive);
                }
            }
            send(pair, 4);
            assertEquals(QueuePairState.RTS, pair.queryRemote().state(), "round " + round);
            fixture.b().execute(new PeerCommand.Destroy(pair.remoteQp()));
            if (shared) {
                queue.close();
            }
        }
        RemoteSrq.expectEvents(fixture.b(), "CQ_ERR", 0);
    }

    @ParameterizedTest
    @EnumSource(value = QueuePairType.class, names = {"RC", "UD"})
    void overflowHitsTheQueuePairsOfThatCompletionQueueOnly(QueuePairType type) {
        Pair other = connect(type);
        int small = fixture.b().execute(new PeerCommand.CreateCompletionQueue(4, false, Threading.SAFE));
        Pair pair = fixture.connected(new PairSpec().type(type).quickRetry().remoteSrq(srq).remoteRecvCq(small));
        post(0, DEPTH);
        for (int i = 0; i < DEPTH; i++) {
            pair.post(WorkSpec.send(i, Opcode.SEND));
        }
        pair.awaitRemoteState(QueuePairState.ERR);
        pair.awaitRemoteEvent("CQ_ERR");
        int delivered = fixture.b().execute(new PeerCommand.Poll(small, 4, Waiting.LIMIT_NANOS)).size();
        assertEquals(4, delivered);
        // What did not fit took no receive away: the rest is still there.
        send(other, DEPTH - 4);
        assertEquals(DEPTH - 4, other.awaitRemoteReceives(DEPTH - 4).size());
        assertEquals(QueuePairState.RTS, other.queryRemote().state());
        post(0, srq.query().capacity());
    }

    @ParameterizedTest
    @CsvSource({"RC, SAFE", "RC, SINGLE", "UD, SAFE", "UD, SINGLE"})
    void queuePairConnectedToItselfDrawsFromItsSharedQueue(QueuePairType type, Threading threading) {
        SharedReceiveQueue mine = fixture.a().keep(fixture.a().domain()
                .createSharedReceiveQueue(new SharedReceiveQueueConfig(4, 1, threading)));
        CompletionQueue cq = fixture.a().completionQueue(32, false, threading);
        QueuePairSpec spec = new QueuePairSpec().type(type).threading(threading);
        QueuePair qp = fixture.a().keep(fixture.a().domain().createQueuePair(spec.config(cq, cq).withSrq(mine)));
        LinkSpec link = new LinkSpec();
        link.connect(qp, new QueuePairEndpoint(fixture.a().gid(), qp.qpNum(), link.psn()));
        Buffer buffer = fixture.local(1_000, MemoryKind.DEVICE);
        int header = type == QueuePairType.UD ? 40 : 0;
        try (var way = fixture.a().domain()
                .createAddressHandle(AddressVector.to(fixture.a().gid()))) {
            for (int i = 0; i < 100; i++) {
                buffer.fill(0, 300, i);
                assertEquals(PostStatus.OK, mine.postReceive(i, buffer.address() + 400, 400, buffer.lkey()));
                assertEquals(PostStatus.OK, header == 0
                        ? qp.postSend(i, buffer.address(), i * 3, buffer.lkey(), SendFlags.SIGNALED)
                        : qp.postSend(i, buffer.address(), i * 3, buffer.lkey(),
                                new Destination(way, qp.qpNum(), link.qkey()), SendFlags.SIGNALED));
                List<Completion> both = Waiting.poll(cq, 2, Waiting.LIMIT_NANOS);
                assertEquals(2, both.size());
                assertTrue(both.stream().allMatch(each -> each.status() == WcStatus.SUCCESS), both.toString());
                buffer.check(400 + header, i * 3L, i, "message to itself");
            }
        }
        mine.postReceive(1, 0, 0, 0);
        qp.close();
        assertEquals(0, cq.poll(new WorkCompletion()));
        mine.close();
    }
}
