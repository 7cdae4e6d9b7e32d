package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Errno;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.Threading;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.Completion;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.PeerAnswer;
import io.verbena.verbs.tck.peer.Waiting;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Draining the send queue, with a SEND in progress that waits for the peer's receive. */
@DisplayName("C08 send queue drain")
@Timeout(60)
class DrainC08Test extends FixtureTest {
    private static QueuePairAttributes drain() {
        return QueuePairAttributes.toState(QueuePairState.SQD).sqdAsyncNotify(true);
    }

    /** A pair in SQD whose SEND 0 is in progress. */
    private Pair draining(Threading threading) {
        Pair pair = fixture.connected(new PairSpec().threading(threading));
        pair.post(WorkSpec.send(0, Opcode.SEND));
        pair.expectNoCompletion();
        pair.qp().modify(drain());
        assertEquals(QueuePairState.SQD, pair.qp().state());
        return pair;
    }

    private void finish(Pair pair) {
        pair.postRemoteReceive(WorkSpec.receive(1));
        assertEquals(0, pair.await(WcStatus.SUCCESS).wrId());
    }

    private List<String> eventsFor(long nanos) {
        List<String> kinds = new ArrayList<>();
        for (PeerAnswer.Event event = fixture.a().takeAsyncEvent(nanos); event.object() >= 0;
                event = fixture.a().takeAsyncEvent(nanos)) {
            kinds.add(event.kind());
        }
        return kinds;
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void workInProgressFinishesAndTheEventComesOnce(Threading threading) {
        Pair pair = draining(threading);
        assertTrue(pair.qp().query().sqDraining());
        finish(pair);
        pair.awaitEvent("SQ_DRAINED");
        assertFalse(pair.qp().query().sqDraining());
        assertFalse(eventsFor(Pair.QUIET_NANOS).contains("SQ_DRAINED"), "the event comes once");
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void leavingWhileDrainingIsRefused(Threading threading) {
        Pair pair = draining(threading);
        VerbsException refusal = assertThrows(VerbsException.class, () -> pair.modify(QueuePairState.RTS));
        assertEquals(Errno.EINVAL, refusal.errno());
        assertEquals(QueuePairState.SQD, pair.qp().state());
        finish(pair);
        pair.awaitEvent("SQ_DRAINED");
        pair.modify(QueuePairState.RTS);
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void laterWorkIsHeldUntilReadyToSend(Threading threading) {
        Pair pair = draining(threading);
        Buffer source = fixture.local(64, MemoryKind.DEVICE).fill(1);
        RemoteBuffer target = fixture.remote(64, MemoryKind.DEVICE).fill(2);
        pair.post(WorkSpec.send(5, Opcode.RDMA_WRITE).sge(source.address(), 64, source.lkey())
                .remote(target.address(), target.rkey()), WorkSpec.send(6, Opcode.SEND));
        pair.postRemoteReceive(WorkSpec.receive(1), WorkSpec.receive(2));
        assertEquals(0, pair.await(WcStatus.SUCCESS).wrId());
        pair.expectNoCompletion();
        target.check(0, 64, 2, "held write");
        pair.awaitEvent("SQ_DRAINED");
        pair.modify(QueuePairState.RTS);
        assertEquals(List.of(5L, 6L), pair.await(2).stream().map(c -> c.wrId()).toList());
        target.check(0, 64, 1, "resumed write");
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void responderSideKeepsWorking(Threading threading) {
        Pair pair = draining(threading);
        Buffer target = fixture.local(64, MemoryKind.DEVICE);
        RemoteBuffer source = fixture.remote(64, MemoryKind.DEVICE).fill(3);
        pair.postReceive(WorkSpec.receive(9));
        pair.postRemote(WorkSpec.send(1, Opcode.RDMA_WRITE).sge(source.address(), 64, source.lkey())
                .remote(target.address(), target.region().rkey()), WorkSpec.send(2, Opcode.SEND));
        assertEquals(9, pair.awaitReceive().wrId());
        target.check(0, 64, 3, "written while draining");
        assertEquals(2, pair.awaitRemoteSends(2).size());
        finish(pair);
    }

    @Test
    void withoutNotificationNoEventComes() {
        Pair pair = fixture.connected();
        pair.post(WorkSpec.send(0, Opcode.SEND));
        pair.modify(QueuePairState.SQD);
        finish(pair);
        assertTrue(Waiting.until(() -> !pair.qp().query().sqDraining(), Waiting.LIMIT_NANOS));
        assertFalse(eventsFor(Pair.QUIET_NANOS).contains("SQ_DRAINED"));
    }

    @Test
    void idleQueueIsDrainedAtOnce() {
        Pair pair = fixture.connected();
        pair.qp().modify(drain());
        pair.awaitEvent("SQ_DRAINED");
        assertFalse(pair.qp().query().sqDraining());
        pair.modify(QueuePairState.RTS);
        pair.post(WorkSpec.send(1, Opcode.RDMA_WRITE));
        pair.await(WcStatus.SUCCESS);
    }

    @Test
    void errAndResetAreReachedWhileDraining() {
        Pair toErr = draining(Threading.SAFE);
        toErr.modify(QueuePairState.ERR);
        assertEquals(WcStatus.WR_FLUSH_ERR, toErr.await().status());
        Pair toReset = draining(Threading.SAFE);
        toReset.modify(QueuePairState.RESET);
        toReset.expectNoCompletion();
    }

    @Test
    void attributesChangedInSqdTakeEffect() {
        Pair pair = fixture.connected();
        pair.qp().modify(drain());
        pair.awaitEvent("SQ_DRAINED");
        pair.qp().modify(new QueuePairAttributes().rnrRetry(0).timeout(12).retryCount(1));
        pair.modify(QueuePairState.RTS);
        pair.post(WorkSpec.send(1, Opcode.SEND));
        pair.await(WcStatus.RNR_RETRY_EXC_ERR);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void moreReadsAreServedOnceSqdAllowsThem(int before) {
        PairSpec spec = new PairSpec();
        spec.linkA().rdAtomic(16, before);
        spec.linkB().rdAtomic(16, 16);
        Pair pair = fixture.connected(spec);
        pair.qp().modify(drain());
        pair.awaitEvent("SQ_DRAINED");
        pair.qp().modify(new QueuePairAttributes().maxDestRdAtomic(16));
        assertEquals(16, pair.qp().query().maxDestRdAtomic());
        pair.modify(QueuePairState.RTS);
        Buffer source = fixture.local(64, MemoryKind.DEVICE).fill(1);
        RemoteBuffer target = fixture.remote(64, MemoryKind.DEVICE).fill(2);
        int reads = 16;
        for (int i = 0; i < reads; i++) {
            pair.postRemote(WorkSpec.send(i, Opcode.RDMA_READ).sge(target.address(), 64, target.lkey())
                    .remote(source.address(), source.region().rkey()));
        }
        assertEquals(List.of(WcStatus.SUCCESS),
                pair.awaitRemoteSends(reads).stream().map(Completion::status).distinct().toList());
        target.check(0, 64, 1, "read by B");
    }
}
