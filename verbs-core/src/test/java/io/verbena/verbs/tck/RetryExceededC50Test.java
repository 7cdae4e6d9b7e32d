package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Opcode;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.RnrTimer;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.PeerCommand;
import io.verbena.verbs.tck.peer.Waiting;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Peers that do not answer: gone, not ready to receive, or not the one this side believes in. */
@DisplayName("C50, C51 no answer")
@Timeout(60)
class RetryExceededC50Test extends FixtureTest {
    private static final int TIMEOUT = 12;
    private static final long PATIENCE_NANOS = 5_000_000_000L;

    private PairSpec spec(int timeout, int retries) {
        PairSpec spec = new PairSpec();
        spec.linkA().retry(timeout, retries);
        return spec;
    }

    private void exceeds(Pair pair, int timeout, int retries) {
        long start = System.nanoTime();
        pair.post(WorkSpec.send(1, Opcode.RDMA_WRITE), WorkSpec.send(2, Opcode.SEND));
        assertEquals(1, pair.await(WcStatus.RETRY_EXC_ERR).wrId());
        long waited = System.nanoTime() - start;
        long once = RnrTimer.ackTimeoutNanos(timeout);
        assertTrue(waited >= (retries + 1) * once, retries + " retries of " + once + " took " + waited);
        assertTrue(waited < 4 * (retries + 1) * once + PATIENCE_NANOS, retries + " retries took " + waited);
        assertEquals(2, pair.await(WcStatus.WR_FLUSH_ERR).wrId());
        assertEquals(QueuePairState.ERR, pair.qp().state());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 7})
    void retriesRunOutAfterAsManyTimeoutsAndOne(int retries) {
        Pair pair = fixture.connected(spec(TIMEOUT, retries));
        pair.modifyRemote(QueuePairState.RESET);
        exceeds(pair, TIMEOUT, retries);
    }

    @ParameterizedTest
    @EnumSource(value = QueuePairState.class, names = {"RESET", "ERR"})
    void peerThatCannotReceiveDoesNotAnswer(QueuePairState state) {
        Pair pair = fixture.connected(spec(8, 2));
        pair.modifyRemote(state);
        exceeds(pair, 8, 2);
    }

    @Test
    void closedPeerDoesNotAnswer() {
        Pair pair = fixture.connected(spec(8, 2));
        fixture.b().execute(new PeerCommand.Destroy(pair.remoteQp()));
        exceeds(pair, 8, 2);
    }

    @Test
    void peerThatWasNeverConnectedDoesNotAnswer() {
        PairSpec spec = spec(8, 2);
        Pair pair = fixture.pair(spec);
        spec.linkA().connect(pair.qp(), pair.remoteEndpoint());
        exceeds(pair, 8, 2);
    }

    @Test
    void unknownQueuePairNumberDoesNotAnswer() {
        PairSpec spec = spec(8, 2);
        Pair pair = fixture.pair(spec);
        spec.linkA().connect(pair.qp(), new QueuePairEndpoint(fixture.a().gid(), 0xFF_FFFE, 1));
        exceeds(pair, 8, 2);
    }

    @Test
    void peerConnectedToSomebodyElseDoesNotAnswer() {
        PairSpec spec = spec(8, 2);
        Pair first = fixture.connected(new PairSpec());
        Pair second = fixture.pair(spec);
        second.connectRemote();
        spec.linkA().connect(second.qp(), first.remoteEndpoint());
        exceeds(second, 8, 2);
        assertEquals(QueuePairState.RTS, first.queryRemote().state());
    }

    @Test
    void peerThatExpectsAnotherSequenceNumberDoesNotAnswer() {
        PairSpec spec = spec(8, 2);
        Pair pair = fixture.pair(spec);
        pair.connectRemote();
        spec.linkA().psn(spec.linkA().psn() + 77 & 0xFF_FFFF);
        spec.linkA().connect(pair.qp(), pair.remoteEndpoint());
        exceeds(pair, 8, 2);
    }

    @Test
    void timeoutZeroWaitsForEver() {
        Pair pair = fixture.connected(spec(0, 0));
        pair.modifyRemote(QueuePairState.RESET);
        pair.post(WorkSpec.send(1, Opcode.RDMA_WRITE));
        assertEquals(List.of(), Waiting.poll(pair.sendCq(), 1, 300_000_000));
        pair.modify(QueuePairState.ERR);
        pair.await(WcStatus.WR_FLUSH_ERR);
    }

    @Test
    void peerThatComesLateIsReachedByARetry() {
        PairSpec spec = spec(14, 7);
        Pair pair = fixture.pair(spec);
        Buffer local = fixture.local(64, MemoryKind.DEVICE).fill(1);
        RemoteBuffer remote = fixture.remote(64, MemoryKind.DEVICE);
        spec.linkA().connect(pair.qp(), pair.remoteEndpoint());
        pair.post(WorkSpec.send(1, Opcode.RDMA_WRITE).sge(local.address(), 64, local.lkey())
                .remote(remote.address(), remote.rkey()));
        pair.expectNoCompletion();
        pair.connectRemote();
        pair.await(WcStatus.SUCCESS);
        remote.check(0, 64, 1, "written by the retry");
    }

    @Test
    void otherQueuePairsAreNotHeldUp() {
        Pair dead = fixture.connected(spec(18, 7));
        Pair alive = fixture.connected();
        dead.modifyRemote(QueuePairState.RESET);
        dead.post(WorkSpec.send(1, Opcode.RDMA_WRITE));
        for (int i = 0; i < 100; i++) {
            alive.post(WorkSpec.send(i, Opcode.RDMA_WRITE));
            alive.await(WcStatus.SUCCESS);
        }
        dead.qp().close();
        fixture.b().execute(new PeerCommand.Destroy(dead.remoteQp()));
        alive.post(WorkSpec.send(5, Opcode.RDMA_WRITE));
        alive.await(WcStatus.SUCCESS);
    }
}
