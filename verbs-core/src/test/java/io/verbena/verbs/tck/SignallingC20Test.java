package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.Completion;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.Waiting;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which sends complete, and when their places are free again. */
@DisplayName("C20 signalling")
@Timeout(60)
class SignallingC20Test extends FixtureTest {
    private static final int DEPTH = 16;

    private Pair pair;
    private Buffer local;
    private RemoteBuffer remote;

    private void prepare(PairSpec spec) {
        pair = fixture.connected(spec);
        local = fixture.local(64, MemoryKind.DEVICE);
        remote = fixture.remote(64, MemoryKind.DEVICE);
    }

    private WorkSpec write(long wrId, int flags) {
        return WorkSpec.send(wrId, Opcode.RDMA_WRITE).sge(local.address(), 64, local.lkey())
                .remote(remote.address(), remote.rkey()).flags(flags);
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void onlySignalledSendsCompleteAndPlacesAreRecycled(Threading threading) {
        prepare(new PairSpec().depth(DEPTH).threading(threading));
        for (int every : new int[] {1, 2, 3, 8, DEPTH}) {
            for (int i = 0; i < 50 * every; i++) {
                boolean signalled = i % every == every - 1;
                local.fill(i);
                pair.post(write(i, signalled ? SendFlags.SIGNALED : 0));
                if (signalled) {
                    assertEquals(i, pair.await(WcStatus.SUCCESS).wrId(), "one in " + every);
                    remote.check(0, 64, i, "write " + i);
                }
            }
        }
        pair.expectNoCompletion();
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void signalledCompletionTellsThatAllEarlierOnesAreDone(Threading threading) {
        prepare(new PairSpec().depth(DEPTH).threading(threading));
        RemoteBuffer many = fixture.remote(64 * DEPTH, MemoryKind.DEVICE);
        local.fill(7);
        for (int i = 0; i < DEPTH; i++) {
            pair.post(WorkSpec.send(i, Opcode.RDMA_WRITE).sge(local.address(), 64, local.lkey())
                    .remote(many.address() + 64L * i, many.rkey()).flags(i == DEPTH - 1 ? SendFlags.SIGNALED : 0));
        }
        assertEquals(DEPTH - 1, pair.await(WcStatus.SUCCESS).wrId());
        for (int i = 0; i < DEPTH; i++) {
            many.check(64L * i, 64, 7, "unsignalled write " + i);
        }
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void queuePairThatSignalsAllCompletesEverything(Threading threading) {
        PairSpec spec = new PairSpec().depth(DEPTH).threading(threading);
        spec.a().signalAll();
        prepare(spec);
        for (int i = 0; i < DEPTH; i++) {
            pair.post(write(i, i % 2 == 0 ? 0 : SendFlags.SIGNALED));
        }
        assertEquals(LongStream.range(0, DEPTH).boxed().toList(),
                pair.await(DEPTH).stream().map(Completion::wrId).toList());
        assertEquals(PostStatus.OK, pair.qp().postWrite(77, local.address(), 1, local.lkey(), remote.address(),
                remote.rkey(), 0));
        assertEquals(77, pair.await(WcStatus.SUCCESS).wrId());
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void failureOfAnUnsignalledSendCompletes(Threading threading) {
        prepare(new PairSpec().depth(DEPTH).threading(threading));
        pair.post(write(1, 0), WorkSpec.send(2, Opcode.RDMA_WRITE).sge(local.address(), 64, local.lkey())
                .remote(remote.address(), ~remote.rkey()).flags(0), write(3, 0));
        assertEquals(2, pair.await(WcStatus.REM_ACCESS_ERR).wrId());
        assertEquals(3, pair.await(WcStatus.WR_FLUSH_ERR).wrId());
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void softwareDeviceFreesPlacesOfUnsignalledSendsByItself(Threading threading) {
        Assumptions.assumeTrue(fixture.a().context().device().provider().equals("soft"),
                "optional: hardware frees places when a later completion is polled");
        prepare(new PairSpec().depth(DEPTH).threading(threading));
        pair.post(write(0, SendFlags.SIGNALED));
        pair.await(WcStatus.SUCCESS); // another process may have to be asked before the first use of a key
        for (int i = 0; i < 20 * DEPTH; i++) {
            local.fill(i);
            postOnceThereIsAPlace(write(i, 0)); // none is free before the peer has answered
        }
        postOnceThereIsAPlace(write(999, SendFlags.SIGNALED));
        assertEquals(999, pair.await(WcStatus.SUCCESS).wrId());
        remote.check(0, 64, 20 * DEPTH - 1, "last write");
    }

    private void postOnceThereIsAPlace(WorkSpec send) {
        assertTrue(Waiting.until(() -> pair.tryPost(send) == PostStatus.OK, Waiting.LIMIT_NANOS));
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void unsignalledSendBehindAnUnpolledCompletionHoldsItsPlace(Threading threading) {
        prepare(new PairSpec().depth(DEPTH).threading(threading));
        int granted = pair.qp().capabilities().maxSendWr();
        pair.post(write(0, SendFlags.SIGNALED));
        for (int i = 1; i < granted; i++) {
            pair.post(write(i, 0));
        }
        assertEquals(PostStatus.QUEUE_FULL, pair.tryPost(write(99, 0)));
        assertEquals(0, pair.await().wrId());
        pair.post(write(granted, SendFlags.SIGNALED));
        assertEquals(granted, pair.await().wrId());
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void unsignalledSendsOfEveryKindLeaveNoCompletion(Threading threading) {
        prepare(new PairSpec().depth(DEPTH).threading(threading));
        pair.postRemoteReceive(WorkSpec.receive(1).sge(remote.address(), 64, remote.lkey()), WorkSpec.receive(2));
        pair.post(WorkSpec.send(1, Opcode.SEND).flags(0),
                WorkSpec.send(2, Opcode.RDMA_READ).sge(local.address(), 8, local.lkey())
                        .remote(remote.address(), remote.rkey()).flags(0),
                WorkSpec.send(3, Opcode.ATOMIC_FETCH_AND_ADD).sge(local.address(), 8, local.lkey())
                        .remote(remote.address(), remote.rkey()).flags(0),
                WorkSpec.send(4, Opcode.RDMA_WRITE_WITH_IMM).flags(0),
                write(5, SendFlags.SIGNALED));
        assertEquals(List.of(5L), pair.await(1).stream().map(Completion::wrId).toList());
        assertEquals(2, pair.awaitRemoteReceives(2).size());
        pair.expectNoCompletion();
    }
}
