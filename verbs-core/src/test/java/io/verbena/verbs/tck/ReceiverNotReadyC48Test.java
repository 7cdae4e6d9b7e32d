package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.RnrTimer;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.Completion;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.PeerAnswer;
import io.verbena.verbs.tck.peer.PeerCommand;
import io.verbena.verbs.tck.peer.Waiting;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Receiver not ready: waits, retries, and who drives them. */
@DisplayName("C48, C49 receiver not ready")
@Timeout(60)
class ReceiverNotReadyC48Test extends FixtureTest {
    private static final int TIMER = 21;
    private static final int LONG_TIMER = 27;
    private static final int LONGER_TIMER = 29;
    private static final long PATIENCE_NANOS = 5_000_000_000L;

    private Pair pair(int rnrTimer, int rnrRetry) {
        PairSpec spec = new PairSpec().events();
        spec.linkA().rnrRetry(rnrRetry);
        spec.linkB().minRnrTimer(rnrTimer);
        return fixture.connected(spec);
    }

    /** Until the tries run out, since nobody sees when a message has been refused for the first time. */
    @ParameterizedTest
    @ValueSource(ints = {10, 16, 21, 25})
    void senderWaitsAtLeastTheReceiversTimer(int timer) {
        int retries = 2;
        Pair pair = pair(timer, retries);
        long start = System.nanoTime();
        pair.post(WorkSpec.send(1, Opcode.SEND));
        pair.await(WcStatus.RNR_RETRY_EXC_ERR);
        long waited = System.nanoTime() - start;
        long asked = retries * RnrTimer.nanos(timer);
        assertTrue(waited >= asked, "waited " + waited + " ns of " + asked);
        assertTrue(waited < asked + PATIENCE_NANOS, "waited " + waited);
    }

    /** The wait is long, so that the message is refused before the receive is posted, and tried again after it. */
    @Test
    void aReceivePostedDuringTheWaitDoesNotShortenIt() {
        Pair pair = pair(LONGER_TIMER, 7);
        long start = System.nanoTime();
        pair.post(WorkSpec.send(1, Opcode.SEND));
        assertEquals(List.of(), Waiting.poll(pair.sendCq(), 1, RnrTimer.nanos(LONGER_TIMER) / 2));
        pair.postRemoteReceive(WorkSpec.receive(1));
        pair.await(WcStatus.SUCCESS);
        long waited = System.nanoTime() - start;
        assertTrue(waited >= RnrTimer.nanos(LONGER_TIMER), "waited " + waited + " ns");
        assertTrue(waited < RnrTimer.nanos(LONGER_TIMER) + PATIENCE_NANOS, "waited " + waited + " ns");
    }

    /** The wait is long, so that one retry too many is told from a slow machine. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 6})
    void retriesRunOut(int retries) {
        Pair other = pair(1, 0);
        other.post(WorkSpec.send(1, Opcode.SEND));
        other.await(WcStatus.RNR_RETRY_EXC_ERR); // what is loaded at first use takes none of the time below
        Pair pair = pair(LONG_TIMER, retries);
        long start = System.nanoTime();
        pair.post(WorkSpec.send(1, Opcode.SEND), WorkSpec.send(2, Opcode.RDMA_WRITE));
        assertEquals(1, pair.await(WcStatus.RNR_RETRY_EXC_ERR).wrId());
        long waited = System.nanoTime() - start;
        long once = RnrTimer.nanos(LONG_TIMER);
        assertTrue(waited >= retries * once, retries + " retries took " + waited + " ns");
        assertTrue(waited < (retries + 1) * once, retries + " retries took " + waited + " ns");
        assertEquals(2, pair.await(WcStatus.WR_FLUSH_ERR).wrId());
        assertEquals(QueuePairState.ERR, pair.qp().state());
        assertEquals(QueuePairState.RTS, pair.queryRemote().state(), "the receiver is not harmed");
    }

    @Test
    void sevenWaitsWithoutEnd() {
        Pair pair = pair(1, 7);
        pair.post(WorkSpec.send(1, Opcode.SEND));
        assertEquals(List.of(), Waiting.poll(pair.sendCq(), 1, 300 * RnrTimer.nanos(10)));
        pair.postRemoteReceive(WorkSpec.receive(1));
        pair.await(WcStatus.SUCCESS);
    }

    @Test
    void progressResetsTheCounter() {
        Pair pair = pair(24, 2);
        for (int i = 0; i < 4; i++) {
            pair.post(WorkSpec.send(i, Opcode.SEND));
            pair.postRemoteReceive(WorkSpec.receive(i));
            assertEquals(i, pair.await(WcStatus.SUCCESS).wrId());
        }
    }

    @Test
    void retransmissionTimerDoesNotShortenTheWait() {
        PairSpec spec = new PairSpec();
        spec.linkA().retry(8, 1).rnrRetry(1);
        spec.linkB().minRnrTimer(24);
        Pair pair = fixture.connected(spec);
        long start = System.nanoTime();
        pair.post(WorkSpec.send(1, Opcode.SEND));
        pair.await(WcStatus.RNR_RETRY_EXC_ERR);
        assertTrue(System.nanoTime() - start >= RnrTimer.nanos(24));
    }

    @Test
    void laterRequestsStayBehindTheWaitingOne() {
        Pair pair = pair(12, 7);
        Buffer local = fixture.local(64, MemoryKind.DEVICE).fill(1);
        RemoteBuffer remote = fixture.remote(64, MemoryKind.DEVICE).fill(2);
        pair.post(WorkSpec.send(1, Opcode.SEND), WorkSpec.send(2, Opcode.RDMA_WRITE)
                .sge(local.address(), 64, local.lkey()).remote(remote.address(), remote.rkey()));
        pair.post(WorkSpec.send(3, Opcode.RDMA_READ).sge(local.address(), 1, local.lkey())
                .remote(remote.address(), remote.rkey()));
        pair.expectNoCompletion();
        remote.check(0, 64, 2, "B's memory while A waits");
        pair.postRemoteReceive(WorkSpec.receive(1));
        assertEquals(List.of(1L, 2L, 3L), pair.await(3).stream().map(Completion::wrId).toList());
        remote.check(0, 64, 1, "B's memory afterwards");
    }

    @Test
    void writeWithImmediateThatWaitsHasWrittenNothing() {
        Pair pair = pair(12, 7);
        for (int size : new int[] {1, 64, 1024, 5000}) {
            Buffer local = fixture.local(size, MemoryKind.DEVICE).fill(1);
            RemoteBuffer remote = fixture.remote(size, MemoryKind.DEVICE).fill(2);
            pair.post(WorkSpec.send(1, Opcode.RDMA_WRITE_WITH_IMM).sge(local.address(), size, local.lkey())
                    .remote(remote.address(), remote.rkey()));
            pair.expectNoCompletion();
            if (size <= 1024) {
                remote.check(0, size, 2, "B's memory while A waits");
            }
            pair.postRemoteReceive(WorkSpec.receive(1));
            pair.await(WcStatus.SUCCESS);
            pair.awaitRemoteReceive(WcStatus.SUCCESS);
            remote.check(0, size, 1, "B's memory afterwards");
        }
    }

    @Test
    void retryHappensWhileThePosterSleepsForItsEvent() {
        Pair pair = pair(TIMER, 7);
        assertEquals(PostStatus.OK, pair.sendCq().arm(false));
        pair.post(WorkSpec.send(1, Opcode.SEND));
        pair.postRemoteReceive(WorkSpec.receive(1));
        long start = System.nanoTime();
        CompletionQueue reported = pair.sendCq().channel().get(PATIENCE_NANOS);
        assertNotNull(reported, "no event though the receive was posted");
        assertTrue(System.nanoTime() - start < PATIENCE_NANOS / 2, "came too late");
        reported.acknowledge(1);
        pair.await(WcStatus.SUCCESS);
    }

    @Test
    void retryHappensWhileThePosterDoesNothingAndThePeerSleepsForItsEvent() {
        Pair pair = pair(TIMER, 7);
        assertEquals(PostStatus.OK, fixture.b().execute(new PeerCommand.Arm(pair.remoteRecvCq(), false)));
        pair.post(WorkSpec.send(1, Opcode.SEND));
        pair.postRemoteReceive(WorkSpec.receive(1));
        PeerAnswer.Event event = fixture.b().execute(new PeerCommand.TakeEvent(pair.remoteRecvCq(), PATIENCE_NANOS));
        assertEquals("COMPLETION", event.kind(), "no event though message and receive were posted");
        pair.awaitRemoteReceive(WcStatus.SUCCESS);
        pair.await(WcStatus.SUCCESS);
    }

    @Test
    void retryHappensWhileThePosterDoesNothingAndThePeerPolls() {
        Pair pair = pair(TIMER, 7);
        pair.post(WorkSpec.send(1, Opcode.SEND));
        pair.postRemoteReceive(WorkSpec.receive(1));
        pair.awaitRemoteReceive(WcStatus.SUCCESS);
        pair.await(WcStatus.SUCCESS);
    }

    @Test
    void retriesRunOutWhileThePosterSleepsForItsEvent() {
        Pair pair = pair(TIMER, 2);
        assertEquals(PostStatus.OK, pair.sendCq().arm(false));
        pair.post(WorkSpec.send(1, Opcode.SEND).flags(0));
        CompletionQueue reported = pair.sendCq().channel().get(PATIENCE_NANOS);
        assertNotNull(reported, "no event for the failure");
        reported.acknowledge(1);
        pair.await(WcStatus.RNR_RETRY_EXC_ERR);
    }

    @Test
    void manyWaitingQueuePairsAllGoOn() {
        Pair[] pairs = new Pair[20];
        for (int i = 0; i < pairs.length; i++) {
            pairs[i] = pair(10 + i % 8, 7);
            pairs[i].post(WorkSpec.send(i, Opcode.SEND), WorkSpec.send(i + 100, Opcode.SEND));
        }
        for (Pair pair : pairs) {
            pair.postRemoteReceive(WorkSpec.receive(1), WorkSpec.receive(2));
        }
        for (int i = pairs.length - 1; i >= 0; i--) {
            assertEquals(List.of((long) i, i + 100L), pairs[i].await(2).stream().map(Completion::wrId).toList());
        }
    }
}
