package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Opcode;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.Completion;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.Waiting;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What ERR does to both queues, whether a user or a failure leads there. */
@DisplayName("C07 flush in ERR")
@Timeout(60)
class ErrorFlushC07Test extends FixtureTest {
    private static void flushed(long from, List<Completion> completions) {
        assertEquals(LongStream.range(from, from + completions.size()).boxed().toList(),
                completions.stream().map(Completion::wrId).toList(), completions.toString());
        assertEquals(List.of(WcStatus.WR_FLUSH_ERR), completions.stream().map(Completion::status).distinct().toList());
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void allWorkOfBothQueuesIsFlushedInOrderSignalledOrNot(Threading threading) {
        Pair pair = fixture.connected(new PairSpec().threading(threading));
        for (int i = 0; i < 20; i++) {
            pair.post(WorkSpec.send(i, i % 4 == 1 ? Opcode.RDMA_WRITE : Opcode.SEND)
                    .flags(i % 3 == 0 ? SendFlags.SIGNALED : 0));
            pair.postReceive(WorkSpec.receive(1000 + i));
        }
        pair.expectNoCompletion();
        pair.modify(QueuePairState.ERR);
        flushed(0, pair.await(20));
        flushed(1000, Waiting.poll(pair.recvCq(), 20, Waiting.LIMIT_NANOS));
        pair.expectNoCompletion();
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void successesBeforeComeFirst(Threading threading) {
        Pair pair = fixture.connected(new PairSpec().threading(threading));
        pair.post(WorkSpec.send(0, Opcode.RDMA_WRITE), WorkSpec.send(1, Opcode.RDMA_WRITE));
        pair.post(WorkSpec.send(2, Opcode.SEND), WorkSpec.send(3, Opcode.RDMA_WRITE));
        List<Completion> done = pair.await(2);
        assertEquals(List.of(WcStatus.SUCCESS), done.stream().map(Completion::status).distinct().toList());
        pair.modify(QueuePairState.ERR);
        flushed(2, pair.await(2));
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void workPostedAfterwardsIsFlushedTooSoThatADrainMarkerComesLast(Threading threading) {
        Pair pair = fixture.connected(new PairSpec().threading(threading));
        pair.post(WorkSpec.send(0, Opcode.SEND), WorkSpec.send(1, Opcode.SEND).flags(0));
        pair.postReceive(WorkSpec.receive(1000));
        pair.modify(QueuePairState.ERR);
        pair.post(WorkSpec.send(2, Opcode.RDMA_WRITE).flags(0));
        pair.post(WorkSpec.send(3, Opcode.SEND));
        pair.postReceive(WorkSpec.receive(1001));
        flushed(0, pair.await(4));
        flushed(1000, Waiting.poll(pair.recvCq(), 2, Waiting.LIMIT_NANOS));
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void failingRequestComesFirstWithItsOwnStatus(Threading threading) {
        Pair pair = fixture.connected(new PairSpec().threading(threading));
        RemoteBuffer target = fixture.remote(64, MemoryKind.DEVICE);
        Buffer source = fixture.local(64, MemoryKind.DEVICE);
        pair.postReceive(WorkSpec.receive(1000), WorkSpec.receive(1001));
        pair.post(WorkSpec.send(0, Opcode.SEND),
                WorkSpec.send(1, Opcode.RDMA_WRITE).sge(source.address(), 64, source.lkey()).flags(0)
                        .remote(target.address(), target.rkey() ^ 0x55),
                WorkSpec.send(2, Opcode.SEND).flags(0), WorkSpec.send(3, Opcode.RDMA_READ));
        pair.expectNoCompletion();
        pair.postRemoteReceive(WorkSpec.receive(7));
        List<Completion> all = pair.await(4);
        assertEquals(List.of(WcStatus.SUCCESS, WcStatus.REM_ACCESS_ERR, WcStatus.WR_FLUSH_ERR, WcStatus.WR_FLUSH_ERR),
                all.stream().map(Completion::status).toList());
        assertEquals(List.of(0L, 1L, 2L, 3L), all.stream().map(Completion::wrId).toList());
        assertEquals(QueuePairState.ERR, pair.qp().state());
        flushed(1000, Waiting.poll(pair.recvCq(), 2, Waiting.LIMIT_NANOS));
    }

    @Test
    void requestsOfThePeerAreIgnoredInErr() {
        Pair pair = fixture.connected(new PairSpec().quickRetry());
        Buffer target = fixture.local(64, MemoryKind.DEVICE).fill(5);
        RemoteBuffer source = fixture.remote(64, MemoryKind.DEVICE).fill(6);
        pair.modify(QueuePairState.ERR);
        pair.postRemote(WorkSpec.send(1, Opcode.RDMA_WRITE).sge(source.address(), 64, source.lkey())
                .remote(target.address(), target.region().rkey()));
        assertEquals(WcStatus.RETRY_EXC_ERR, pair.awaitRemoteSends(1).getFirst().status());
        target.check(0, 64, 5, "memory of a queue pair in ERR");
    }

    @Test
    void errIsReachedFromEveryStateAndStays() {
        for (QueuePairState state : TransitionTable.REACHABLE) {
            if (state != QueuePairState.RESET) {
                Pair pair = fixture.pair(new PairSpec());
                StateDriver.bring(pair.qp(), fixture.a().gid(), state);
                pair.modify(QueuePairState.ERR);
                pair.modify(QueuePairState.ERR);
                pair.postReceive(WorkSpec.receive(4));
                assertEquals(WcStatus.WR_FLUSH_ERR, pair.awaitReceive().status(), "from " + state);
            }
        }
    }

    @Test
    void sendsHeldInSqdAreFlushed() {
        Pair pair = fixture.connected();
        pair.modify(QueuePairState.SQD);
        pair.post(WorkSpec.send(0, Opcode.RDMA_WRITE), WorkSpec.send(1, Opcode.SEND).flags(0));
        pair.modify(QueuePairState.ERR);
        flushed(0, pair.await(2));
    }

    /** The peer goes to ERR while messages stream in: each receive completes once, and its buffer is left alone. */
    @ParameterizedTest
    @EnumSource(Threading.class)
    void everyReceiveCompletesOnceWhenTheQueuePairGoesToErrUnderFire(Threading threading) {
        int receives = 100;
        int bytes = 50_000;
        PairSpec spec = new PairSpec().threading(threading).quickRetry();
        spec.b().depth(16, receives).cqe(16, 2 * receives);
        Pair pair = fixture.connected(spec);
        Buffer source = fixture.local(bytes, MemoryKind.DEVICE);
        RemoteBuffer target = fixture.remote(bytes, MemoryKind.DEVICE);
        Random random = new Random(7);
        for (int round = 0; round < 100; round++) {
            WorkSpec[] list = new WorkSpec[receives];
            Arrays.setAll(list, i -> WorkSpec.receive(i).sge(target.address(), bytes, target.lkey()));
            pair.postRemoteReceive(list);
            List<Completion> received;
            FutureTask<Integer> storm;
            try (Threads threads = new Threads()) {
                storm = threads.start("sender", () -> sendUntilFailure(pair, source));
                Waiting.pause(random.nextInt(600_000));
                pair.modifyRemote(QueuePairState.ERR);
                received = pair.awaitRemoteReceives(receives);
                target.fill(round);
            }
            target.check(0, bytes, round, "buffer after its receives were flushed");
            checkOnce(received, Threads.join(storm));
            pair.reconnect();
        }
    }

    private static int sendUntilFailure(Pair pair, Buffer source) {
        int successes = 0;
        while (true) {
            pair.post(WorkSpec.send(1, Opcode.SEND).sge(source.address(), source.region().length(), source.lkey()));
            WcStatus status = pair.await().status();
            if (status != WcStatus.SUCCESS) {
                assertEquals(WcStatus.RETRY_EXC_ERR, status);
                return successes;
            }
            successes++;
        }
    }

    private static void checkOnce(List<Completion> received, int sent) {
        assertEquals(LongStream.range(0, received.size()).boxed().toList(),
                received.stream().map(Completion::wrId).toList());
        long successes = received.stream().takeWhile(each -> each.status() == WcStatus.SUCCESS).count();
        assertTrue(successes >= sent, sent + " messages were acknowledged, " + successes + " received");
        received.stream().skip(successes).forEach(each -> assertEquals(WcStatus.WR_FLUSH_ERR, each.status()));
    }

    @Test
    void manyFlushesAfterErrDoNotStopUp() {
        Pair pair = fixture.connected(new PairSpec().depth(8));
        pair.modify(QueuePairState.ERR);
        for (int i = 0; i < 1000; i++) {
            pair.post(WorkSpec.send(i, Opcode.SEND).flags(i % 2 == 0 ? SendFlags.SIGNALED : 0));
            pair.postReceive(WorkSpec.receive(i));
            assertEquals(i, pair.await(WcStatus.WR_FLUSH_ERR).wrId());
            assertEquals(i, pair.awaitReceive().wrId());
        }
    }
}
