package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.tck.peer.QueuePairSpec;
import io.verbena.verbs.tck.peer.WorkSpec;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A completion that finds its queue full. */
@DisplayName("C57 completion queue overflow")
@Timeout(60)
class OverflowC57Test extends FixtureTest {
    private static final int SMALL = 4;
    private static final int DEEP = 4096;

    /** A pair whose queue for sends at A is small; posts one write more than it holds. */
    private Pair overflow(Threading threading) {
        PairSpec spec = new PairSpec().threading(threading);
        spec.a().depth(DEEP, 64).cqe(SMALL, 256);
        Pair pair = fixture.connected(spec);
        for (int i = 0; i <= pair.sendCq().capacity(); i++) {
            pair.post(WorkSpec.send(i, Opcode.RDMA_WRITE));
        }
        return pair;
    }

    private static void pollWhatFitted(CompletionQueue cq) {
        WorkCompletion completion = new WorkCompletion();
        for (int i = 0; i < cq.capacity(); i++) {
            assertEquals(1, cq.poll(completion), "completion " + i + " of " + cq.capacity());
            assertEquals(i, completion.wrId());
            assertEquals(WcStatus.SUCCESS, completion.status());
        }
        assertEquals(PostStatus.CQ_ERROR, cq.poll(completion));
        assertEquals(PostStatus.CQ_ERROR, cq.poll(new WorkCompletion[] {completion}));
        assertEquals(PostStatus.CQ_ERROR, cq.poll(ignored -> {}, 1));
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void completionsThatFittedArePolledAndThenAnErrorIsTold(Threading threading) {
        Pair pair = overflow(threading);
        pair.awaitState(QueuePairState.ERR);
        pollWhatFitted(pair.sendCq());
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void queueAndQueuePairReportTheirFailure(Threading threading) {
        Pair pair = overflow(threading);
        boolean queueFailed = false;
        boolean pairFailed = false;
        while (!queueFailed || !pairFailed) {
            AsyncEvent event = fixture.a().context().getAsyncEvent(3_000_000_000L);
            assertTrue(event != null, "CQ_ERR came: " + queueFailed + ", QP_FATAL came: " + pairFailed);
            fixture.a().context().acknowledge(event);
            queueFailed |= event instanceof AsyncEvent.CompletionQueueError e && e.completionQueue() == pair.sendCq();
            pairFailed |= event instanceof AsyncEvent.QueuePairEvent e && e.queuePair() == pair.qp()
                    && e.kind() == AsyncEvent.QueuePairEvent.Kind.QP_FATAL;
        }
        assertEquals(QueuePairState.ERR, pair.qp().state());
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void otherQueuePairsAreUnaffected(Threading threading) {
        Pair other = fixture.connected(new PairSpec().threading(threading));
        overflow(threading);
        for (int i = 0; i < 100; i++) {
            other.postRemoteReceive(WorkSpec.receive(i));
            other.post(WorkSpec.send(i, Opcode.SEND));
            other.await(WcStatus.SUCCESS);
            other.awaitRemoteReceive(WcStatus.SUCCESS);
        }
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void overflowOfThePeersReceivesHitsThePeerOnly(Threading threading) {
        PairSpec spec = new PairSpec().threading(threading).quickRetry();
        spec.b().depth(64, DEEP).cqe(256, SMALL);
        spec.a().depth(DEEP, 64).cqe(DEEP, 64);
        Pair pair = fixture.connected(spec);
        Pair other = fixture.connected(new PairSpec().threading(threading));
        for (int i = 0; i < 1000; i++) {
            pair.postRemoteReceive(WorkSpec.receive(i));
        }
        for (int i = 0; i < 1000; i++) {
            pair.post(WorkSpec.send(i, Opcode.SEND));
        }
        pair.awaitRemoteState(QueuePairState.ERR);
        pair.awaitRemoteEvent("CQ_ERR");
        pair.awaitState(QueuePairState.ERR);
        other.post(WorkSpec.send(1, Opcode.RDMA_WRITE));
        other.await(WcStatus.SUCCESS);
    }

    @Test
    void fullQueueThatIsPolledInTimeDoesNotOverflow() {
        PairSpec spec = new PairSpec();
        spec.a().depth(DEEP, 64).cqe(SMALL, 256);
        Pair pair = fixture.connected(spec);
        int capacity = pair.sendCq().capacity();
        for (int round = 0; round < 100; round++) {
            for (int i = 0; i < capacity; i++) {
                pair.post(WorkSpec.send(i, Opcode.RDMA_WRITE));
            }
            assertEquals(capacity, pair.await(capacity).size());
        }
        assertEquals(QueuePairState.RTS, pair.qp().state());
    }

    @Test
    void queueInErrorCanBeClosedAfterItsQueuePairs() {
        Pair pair = overflow(Threading.SAFE);
        pair.qp().close();
        pair.sendCq().close();
    }

    @Test
    void secondQueuePairOnTheFailedQueueFailsWhenItHitsIt() {
        CompletionQueue cq = fixture.a().completionQueue(1, false, Threading.SAFE);
        var first = fixture.a().queuePair(new QueuePairSpec(), cq, cq);
        var second = fixture.a().queuePair(new QueuePairSpec(), cq, cq);
        StateDriver.bring(first, fixture.a().gid(), QueuePairState.ERR);
        StateDriver.bring(second, fixture.a().gid(), QueuePairState.ERR);
        for (int i = 0; i <= cq.capacity(); i++) {
            assertEquals(PostStatus.OK, first.postSend(i, 0, 0, 0, SendFlags.SIGNALED));
        }
        second.postSend(99, 0, 0, 0, SendFlags.SIGNALED);
        assertEquals(QueuePairState.ERR, second.state());
        WorkCompletion completion = new WorkCompletion();
        for (int i = 0; i < cq.capacity(); i++) {
            assertEquals(1, cq.poll(completion));
        }
        assertEquals(PostStatus.CQ_ERROR, cq.poll(completion));
    }
}
