package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.CompletionChannel;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueueConfig;
import io.verbena.verbs.Errno;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.Threading;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.QueuePairSpec;
import io.verbena.verbs.tck.peer.Waiting;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Arming, events and their acknowledgement. */
@DisplayName("C56 completion events")
@Timeout(60)
class CompletionEventsC56Test extends FixtureTest {
    private static final long PATIENCE_NANOS = 5_000_000_000L;
    private static final int PLAIN = SendFlags.SIGNALED;
    private static final int SOLICITED = SendFlags.SIGNALED | SendFlags.SOLICITED;

    private Pair pair;

    private void prepare(Threading threading) {
        pair = fixture.connected(new PairSpec().events().threading(threading));
    }

    private static void arm(CompletionQueue cq, boolean solicitedOnly) {
        assertEquals(PostStatus.OK, cq.arm(solicitedOnly));
    }

    private static void expectEvent(CompletionQueue cq) {
        assertSame(cq, cq.channel().get(PATIENCE_NANOS));
        cq.acknowledge(1);
    }

    private static void expectNoEvent(CompletionQueue cq) {
        assertNull(cq.channel().get(Pair.QUIET_NANOS));
    }

    private void write(long wrId) {
        pair.post(WorkSpec.send(wrId, Opcode.RDMA_WRITE));
    }

    /** Lets B send a message to a receive of A. */
    private void message(int flags) {
        pair.postReceive(WorkSpec.receive(1));
        pair.postRemote(WorkSpec.send(1, Opcode.SEND).flags(flags));
        assertEquals(1, pair.awaitRemoteSends(1).size());
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void eventComesForTheNextCompletionAfterArming(Threading threading) {
        prepare(threading);
        arm(pair.sendCq(), false);
        expectNoEvent(pair.sendCq());
        write(1);
        expectEvent(pair.sendCq());
        pair.await(WcStatus.SUCCESS);
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void noEventComesForCompletionsAlreadyPresent(Threading threading) {
        prepare(threading);
        write(1);
        write(2);
        assertTrue(Waiting.until(() -> pair.sendCq().snapshot().waiting() == 2, Waiting.LIMIT_NANOS));
        arm(pair.sendCq(), false);
        expectNoEvent(pair.sendCq());
        write(3);
        expectEvent(pair.sendCq());
        assertEquals(3, pair.await(3).size());
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void noEventComesWithoutArming(Threading threading) {
        prepare(threading);
        write(1);
        expectNoEvent(pair.sendCq());
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void armingCountsForOneEvent(Threading threading) {
        prepare(threading);
        arm(pair.sendCq(), false);
        write(1);
        write(2);
        expectEvent(pair.sendCq());
        write(3);
        expectNoEvent(pair.sendCq());
        arm(pair.sendCq(), false);
        arm(pair.sendCq(), false);
        write(4);
        expectEvent(pair.sendCq());
        expectNoEvent(pair.sendCq());
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void receiveRaisesAnEventToo(Threading threading) {
        prepare(threading);
        arm(pair.recvCq(), false);
        message(PLAIN);
        expectEvent(pair.recvCq());
        assertEquals(WcStatus.SUCCESS, pair.awaitReceive().status());
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void solicitedOnlyIgnoresOtherMessages(Threading threading) {
        prepare(threading);
        arm(pair.recvCq(), true);
        message(PLAIN);
        expectNoEvent(pair.recvCq());
        message(SOLICITED);
        expectEvent(pair.recvCq());
    }

    @ParameterizedTest
    @EnumSource(value = Opcode.class, names = {"SEND", "SEND_WITH_IMM", "RDMA_WRITE_WITH_IMM"})
    void everyOperationThatTakesAReceiveCanSolicit(Opcode opcode) {
        prepare(Threading.SAFE);
        arm(pair.recvCq(), true);
        pair.postReceive(WorkSpec.receive(1), WorkSpec.receive(2));
        pair.postRemote(WorkSpec.send(1, opcode).flags(PLAIN));
        expectNoEvent(pair.recvCq());
        pair.postRemote(WorkSpec.send(1, opcode).flags(SOLICITED));
        expectEvent(pair.recvCq());
    }

    @Test
    void successfulSendsAreNotSolicited() {
        prepare(Threading.SAFE);
        arm(pair.sendCq(), true);
        pair.post(WorkSpec.send(1, Opcode.RDMA_WRITE).flags(SOLICITED));
        pair.postRemoteReceive(WorkSpec.receive(1));
        pair.post(WorkSpec.send(1, Opcode.SEND).flags(SOLICITED));
        expectNoEvent(pair.sendCq());
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void failedSendCountsAsSolicited(Threading threading) {
        prepare(threading);
        arm(pair.sendCq(), true);
        pair.post(WorkSpec.send(1, Opcode.RDMA_WRITE).sge(1, 1, 1).flags(0));
        expectEvent(pair.sendCq());
        pair.await(WcStatus.LOC_PROT_ERR);
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void flushedReceiveCountsAsSolicited(Threading threading) {
        prepare(threading);
        pair.postReceive(WorkSpec.receive(1));
        arm(pair.recvCq(), true);
        pair.modify(QueuePairState.ERR);
        expectEvent(pair.recvCq());
        assertEquals(WcStatus.WR_FLUSH_ERR, pair.awaitReceive().status());
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void armingForAllAfterSolicitedWidens(Threading threading) {
        prepare(threading);
        arm(pair.recvCq(), true);
        arm(pair.recvCq(), false);
        message(PLAIN);
        expectEvent(pair.recvCq());
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void armingForSolicitedAfterAllStaysWide(Threading threading) {
        prepare(threading);
        arm(pair.recvCq(), false);
        arm(pair.recvCq(), true);
        message(PLAIN);
        expectEvent(pair.recvCq());
    }

    @Test
    void queueWithoutChannelCannotBeArmed() {
        CompletionQueue cq = fixture.a().completionQueue(4, false, Threading.SAFE);
        assertNull(cq.channel());
        assertEquals(PostStatus.WRONG_STATE, cq.arm(false));
    }

    @Test
    void eventsOfSeveralQueuesComeInOrderWithTheirUserContexts() {
        CompletionChannel channel = fixture.a().keep(fixture.a().context().createCompletionChannel());
        CompletionQueue first = fixture.a().keep(fixture.a().context().createCompletionQueue(
                CompletionQueueConfig.of(8).withChannel(channel).withUserContext("first")));
        CompletionQueue second = fixture.a().keep(fixture.a().context().createCompletionQueue(
                CompletionQueueConfig.of(8).withChannel(channel).withUserContext("second")));
        arm(first, false);
        arm(second, false);
        flushInto(second);
        flushInto(first);
        assertEquals("second", channel.get(PATIENCE_NANOS).userContext());
        assertEquals("first", channel.get(PATIENCE_NANOS).userContext());
        assertNull(channel.get(0));
        first.acknowledge(1);
        second.acknowledge(1);
    }

    /** Adds a completion by flushing a receive. */
    private void flushInto(CompletionQueue cq) {
        var qp = fixture.a().queuePair(new QueuePairSpec(), cq, cq);
        StateDriver.bring(qp, fixture.a().gid(), QueuePairState.ERR);
        assertEquals(PostStatus.OK, qp.postReceive(1, 0, 0, 0));
    }

    @Test
    void getWithoutWaitingAnswersAtOnceAndAShortWaitEnds() {
        prepare(Threading.SAFE);
        long start = System.nanoTime();
        assertNull(pair.sendCq().channel().get(0));
        assertNull(pair.sendCq().channel().get(30_000_000));
        long waited = System.nanoTime() - start;
        assertTrue(waited >= 30_000_000 && waited < PATIENCE_NANOS, "waited " + waited);
    }

    @Test
    void waitingThreadIsWokenByAnother() {
        prepare(Threading.SAFE);
        arm(pair.sendCq(), false);
        try (Threads threads = new Threads()) {
            FutureTask<CompletionQueue> waiter = threads.start("waiter", () -> pair.sendCq().channel().get(-1));
            Waiting.pause(10_000_000);
            assertFalse(waiter.isDone());
            write(1);
            assertSame(pair.sendCq(), Threads.join(waiter));
        }
        pair.sendCq().acknowledge(1);
    }

    @Test
    void interruptEndsTheWait() {
        prepare(Threading.SAFE);
        try (Threads threads = new Threads()) {
            FutureTask<VerbsException> waiter = threads.start("waiter",
                    () -> assertThrows(VerbsException.class, () -> pair.sendCq().channel().get(-1)));
            Waiting.pause(10_000_000);
            threads.all().getFirst().interrupt();
            assertEquals(Errno.EINTR, Threads.join(waiter).errno());
        }
        arm(pair.sendCq(), false);
        write(1);
        expectEvent(pair.sendCq());
    }

    @Test
    void closingWaitsForAcknowledgements() {
        CompletionQueue cq = fixture.a().completionQueue(8, true, Threading.SAFE);
        arm(cq, false);
        var qp = fixture.a().queuePair(new QueuePairSpec(), cq, cq);
        StateDriver.bring(qp, fixture.a().gid(), QueuePairState.ERR);
        assertEquals(PostStatus.OK, qp.postReceive(1, 0, 0, 0));
        assertSame(cq, cq.channel().get(PATIENCE_NANOS));
        qp.close();
        try (Threads threads = new Threads()) {
            FutureTask<Object> closer = threads.start("closer", () -> {
                cq.close();
                return null;
            });
            Waiting.pause(20_000_000);
            assertFalse(closer.isDone(), "close must wait for the event to be acknowledged");
            cq.acknowledge(1);
        }
    }

    @Test
    void closingRemovesEventsNotYetTaken() {
        CompletionQueue cq = fixture.a().completionQueue(8, true, Threading.SAFE);
        CompletionChannel channel = cq.channel();
        arm(cq, false);
        var qp = fixture.a().queuePair(new QueuePairSpec(), cq, cq);
        StateDriver.bring(qp, fixture.a().gid(), QueuePairState.ERR);
        assertEquals(PostStatus.OK, qp.postReceive(1, 0, 0, 0));
        qp.close();
        cq.close();
        assertNull(channel.get(0));
    }

    @Test
    void acknowledgingMoreThanDeliveredIsRefused() {
        prepare(Threading.SAFE);
        for (int events : List.of(1, 0, -1)) {
            VerbsException refusal = assertThrows(VerbsException.class, () -> pair.sendCq().acknowledge(events));
            assertEquals(Errno.EINVAL, refusal.errno());
        }
        arm(pair.sendCq(), false);
        write(1);
        expectEvent(pair.sendCq());
        assertThrows(VerbsException.class, () -> pair.sendCq().acknowledge(1));
    }

    @Test
    void severalEventsCanBeAcknowledgedTogether() {
        prepare(Threading.SAFE);
        for (int i = 0; i < 5; i++) {
            arm(pair.sendCq(), false);
            write(i);
            assertSame(pair.sendCq(), pair.sendCq().channel().get(PATIENCE_NANOS));
        }
        pair.sendCq().acknowledge(3);
        pair.sendCq().acknowledge(2);
        assertThrows(VerbsException.class, () -> pair.sendCq().acknowledge(1));
    }

    @Test
    void asynchronousEventsAreAcknowledgedOnce() {
        prepare(Threading.SAFE);
        assertNull(fixture.a().context().getAsyncEvent(0));
        pair.qp().modify(QueuePairAttributes.toState(QueuePairState.SQD).sqdAsyncNotify(true));
        var event = fixture.a().context().getAsyncEvent(PATIENCE_NANOS);
        try (Threads threads = new Threads()) {
            FutureTask<Object> closer = threads.start("closer", () -> {
                pair.qp().close();
                return null;
            });
            Waiting.pause(20_000_000);
            assertFalse(closer.isDone(), "close must wait for the event to be acknowledged");
            fixture.a().context().acknowledge(event);
        }
        assertThrows(VerbsException.class, () -> fixture.a().context().acknowledge(event));
    }
}
