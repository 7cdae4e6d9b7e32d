package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.Waiting;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** RESET with traffic outstanding. */
@DisplayName("C06 reset with traffic outstanding")
@Timeout(60)
class ResetC06Test extends FixtureTest {
    private Pair pairWithPendingWork(Threading threading) {
        Pair pair = fixture.connected(new PairSpec().threading(threading).quickRetry());
        for (int i = 0; i < 5; i++) {
            pair.post(WorkSpec.send(i, Opcode.SEND).flags(i % 2 == 0 ? SendFlags.SIGNALED : 0));
            pair.postReceive(WorkSpec.receive(100 + i));
        }
        pair.expectNoCompletion();
        return pair;
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void pendingWorkDisappearsWithoutCompletions(Threading threading) {
        Pair pair = pairWithPendingWork(threading);
        pair.modify(QueuePairState.RESET);
        pair.postRemoteReceive(WorkSpec.receive(1));
        pair.expectNoCompletion();
        assertEquals(List.of(), Waiting.poll(pair.recvCq(), 1, Pair.QUIET_NANOS));
        pair.expectNoRemoteReceive();
        assertEquals(PostStatus.WRONG_STATE, pair.tryPost(WorkSpec.send(9, Opcode.SEND)));
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void peersRequestsEndInRetryExceeded(Threading threading) {
        Pair pair = pairWithPendingWork(threading);
        pair.modify(QueuePairState.RESET);
        pair.postRemote(WorkSpec.send(1, Opcode.SEND), WorkSpec.send(2, Opcode.SEND));
        assertEquals(List.of(WcStatus.RETRY_EXC_ERR, WcStatus.WR_FLUSH_ERR),
                pair.awaitRemoteSends(2).stream().map(c -> c.status()).toList());
        pair.awaitRemoteState(QueuePairState.ERR);
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void queuePairWorksAgainWithOtherSequenceNumbers(Threading threading) {
        Pair pair = pairWithPendingWork(threading);
        Buffer source = fixture.local(5000, MemoryKind.DEVICE);
        RemoteBuffer target = fixture.remote(5000, MemoryKind.DEVICE);
        for (int round = 0; round < 5; round++) {
            pair.reconnect();
            source.fill(round);
            pair.postRemoteReceive(50 + round, target, 0, 5000);
            pair.post(WorkSpec.send(round, Opcode.SEND).sge(source.address(), 5000, source.lkey()));
            assertEquals(round, pair.await(WcStatus.SUCCESS).wrId());
            assertEquals(50 + round, pair.awaitRemoteReceive(WcStatus.SUCCESS).wrId());
            target.check(0, 5000, round, "round " + round);
            pair.post(WorkSpec.send(99, Opcode.SEND));
        }
    }

    @Test
    void queuesAreEmptyAfterReset() {
        Pair pair = fixture.connected(new PairSpec().depth(8));
        int sends = pair.qp().capabilities().maxSendWr();
        int receives = pair.qp().capabilities().maxRecvWr();
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < sends; i++) {
                pair.post(WorkSpec.send(i, Opcode.SEND));
            }
            for (int i = 0; i < receives; i++) {
                pair.postReceive(WorkSpec.receive(i));
            }
            assertEquals(PostStatus.QUEUE_FULL, pair.tryPost(WorkSpec.send(9, Opcode.SEND)));
            pair.reconnect();
        }
        pair.expectNoCompletion();
    }

    @Test
    void resetFromErrWorksAgain() {
        Pair pair = fixture.connected();
        pair.modify(QueuePairState.ERR);
        pair.reconnect();
        pair.post(WorkSpec.send(1, Opcode.RDMA_WRITE));
        pair.await(WcStatus.SUCCESS);
    }
}
