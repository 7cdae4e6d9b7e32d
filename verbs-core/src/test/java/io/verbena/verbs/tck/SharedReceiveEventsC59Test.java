package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.SharedReceiveQueueConfig;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.PeerAnswer;
import io.verbena.verbs.tck.peer.PeerCommand;
import io.verbena.verbs.tck.peer.Waiting;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The events of a shared receive queue and of queue pairs that draw from it: each comes, and comes once. */
@DisplayName("C59 shared receive queue: events")
@Timeout(60)
class SharedReceiveEventsC59Test extends FixtureTest {
    private static final String LIMIT = "SRQ_LIMIT_REACHED";
    private static final String LAST = "QP_LAST_WQE_REACHED";

    private RemoteSrq srq;
    private int recvCq;

    private Pair connect(PairSpec spec) {
        if (srq == null) {
            srq = RemoteSrq.create(fixture, 64, 1);
            recvCq = fixture.b().execute(new PeerCommand.CreateCompletionQueue(256, false, Threading.SAFE));
        }
        return fixture.connected(spec.remoteSrq(srq).remoteRecvCq(recvCq));
    }

    private static void send(Pair pair, int count) {
        for (int i = 0; i < count; i++) {
            pair.post(WorkSpec.send(i, Opcode.SEND));
            pair.await(WcStatus.SUCCESS);
        }
    }

    private void expect(String kind, int count) {
        RemoteSrq.expectEvents(fixture.b(), kind, count);
    }

    @ParameterizedTest
    @EnumSource(value = QueuePairType.class, names = {"RC", "UD"})
    void limitFiresOnceWhenATakeLeavesFewer(QueuePairType type) {
        Pair pair = connect(new PairSpec().type(type));
        srq.postEmpty(0, 10);
        if (type == QueuePairType.UD) {
            pair = withBuffers(pair, 10);
        }
        srq.setLimit(7);
        assertEquals(7, srq.query().limit());
        send(pair, 3);
        expect(LIMIT, 0);
        assertEquals(7, srq.query().limit(), "still armed with 7 left");
        send(pair, 1);
        expect(LIMIT, 1);
        assertEquals(0, srq.query().limit(), "disarmed with the event");
        send(pair, 4);
        expect(LIMIT, 0);
    }

    /** Datagrams need room for their header: receives without buffers would lose them. */
    private Pair withBuffers(Pair without, int count) {
        without.modifyRemote(QueuePairState.RESET);
        srq = null;
        Pair pair = connect(new PairSpec().type(QueuePairType.UD));
        RemoteBuffer buffer = fixture.remote(64, MemoryKind.DEVICE);
        for (int i = 0; i < count; i++) {
            srq.post(WorkSpec.receive(i).sge(buffer.address(), 64, buffer.lkey()));
        }
        return pair;
    }

    @Test
    void limitCanBeArmedAgainAndAgain() {
        Pair pair = connect(new PairSpec());
        for (int round = 0; round < 20; round++) {
            srq.postEmpty(0, 4);
            srq.setLimit(3);
            send(pair, 2);
            expect(LIMIT, 1);
            send(pair, 2);
            expect(LIMIT, 0);
            pair.awaitRemoteReceives(4);
        }
    }

    @Test
    void limitThatWasDisarmedOrNeverReachedTellsNothing() {
        Pair pair = connect(new PairSpec());
        srq.postEmpty(0, 8);
        srq.setLimit(7);
        srq.setLimit(0);
        send(pair, 6);
        srq.setLimit(1);
        send(pair, 1);
        expect(LIMIT, 0);
        assertEquals(1, srq.query().limit());
    }

    @Test
    void limitArmedBelowTheFillingFiresWithTheNextTakeAtTheLatest() {
        Pair pair = connect(new PairSpec());
        srq.postEmpty(0, 4);
        srq.setLimit(40);
        send(pair, 1);
        expect(LIMIT, 1);
        assertEquals(0, srq.query().limit());
    }

    @Test
    void eventNamesItsQueue() {
        SharedReceiveQueue mine = fixture.a().keep(fixture.a().domain()
                .createSharedReceiveQueue(new SharedReceiveQueueConfig(8, 1, Threading.SAFE)));
        Pair pair = fixture.connected(new PairSpec().srq(mine));
        assertSame(mine, pair.qp().sharedReceiveQueue());
        mine.postReceive(1, 0, 0, 0);
        mine.setLimit(5);
        pair.postRemote(WorkSpec.send(1, Opcode.SEND));
        AsyncEvent event = fixture.a().context().getAsyncEvent(3_000_000_000L);
        assertTrue(event instanceof AsyncEvent.SharedReceiveQueueEvent about && about.limitReached()
                && about.sharedReceiveQueue() == mine, "came: " + event);
        fixture.a().context().acknowledge(event);
    }

    /** Many threads take at the same time: the limit is told once for each time it was armed. */
    @Test
    void limitFiresOnceHoweverManyTakeAtATime() {
        List<Pair> pairs = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            pairs.add(connect(new PairSpec()));
        }
        for (int round = 0; round < 30; round++) {
            srq.postEmpty(0, 40);
            srq.setLimit(20);
            try (Threads threads = new Threads()) {
                for (Pair pair : pairs) {
                    threads.start("sender", () -> {
                        send(pair, 10);
                        return null;
                    });
                }
            }
            expect(LIMIT, 1);
            pairs.getFirst().awaitRemoteReceives(40);
        }
    }

    @ParameterizedTest
    @EnumSource(value = QueuePairType.class, names = {"RC", "UD"})
    void errorFlushesNothingAndTellsOnceThatTheLastReceiveWasTaken(QueuePairType type) {
        Pair pair = connect(new PairSpec().type(type));
        Pair other = connect(new PairSpec());
        srq.postEmpty(0, 5);
        pair.modifyRemote(QueuePairState.ERR);
        pair.awaitRemoteEvent(LAST);
        pair.modifyRemote(QueuePairState.ERR);
        expect(LAST, 0);
        pair.expectNoRemoteReceive();
        send(other, 5);
        assertEquals(5, other.awaitRemoteReceives(5).size());
    }

    @Test
    void eachLifeOfAQueuePairTellsItOnce() {
        Pair pair = connect(new PairSpec());
        for (int round = 0; round < 10; round++) {
            pair.modifyRemote(QueuePairState.ERR);
            pair.awaitRemoteEvent(LAST);
            expect(LAST, 0);
            pair.reconnect();
            srq.postEmpty(0, 1);
            send(pair, 1);
            pair.awaitRemoteReceives(1);
        }
    }

    @Test
    void resetTellsNothing() {
        Pair pair = connect(new PairSpec());
        pair.modifyRemote(QueuePairState.RESET);
        expect(LAST, 0);
    }

    @Test
    void failureOfAMessageTellsItToo() {
        Pair pair = connect(new PairSpec());
        srq.postEmpty(0, 1);
        RemoteBuffer any = fixture.remote(64, MemoryKind.DEVICE);
        Buffer source = fixture.local(64, MemoryKind.DEVICE);
        pair.post(WorkSpec.send(1, Opcode.RDMA_WRITE).sge(source.address(), 8, source.lkey())
                .remote(any.address(), ~any.rkey()));
        pair.await(WcStatus.REM_ACCESS_ERR);
        pair.awaitRemoteEvent(LAST);
        expect(LAST, 0);
    }

    /** After the event nothing more completes for this queue pair: its receives may be counted then. */
    @ParameterizedTest
    @EnumSource(Threading.class)
    void nothingCompletesAfterTheEventThatWasNotThereBefore(Threading threading) {
        PairSpec spec = new PairSpec().threading(threading).quickRetry();
        Pair pair = connect(spec);
        Buffer source = fixture.local(50_000, MemoryKind.DEVICE);
        RemoteBuffer target = fixture.remote(50_000, MemoryKind.DEVICE);
        int posted = 0;
        for (int round = 0; round < 30; round++) {
            for (; posted < 32; posted++) {
                srq.post(WorkSpec.receive(posted).sge(target.address(), 50_000, target.lkey()));
            }
            AtomicBoolean stopped = new AtomicBoolean();
            try (Threads threads = new Threads()) {
                threads.start("sender", () -> {
                    while (!stopped.get()) {
                        pair.post(WorkSpec.send(1, Opcode.SEND).sge(source.address(), 50_000, source.lkey()));
                        stopped.set(pair.await().status() != WcStatus.SUCCESS);
                    }
                    return null;
                });
                Waiting.pause(200_000L * (round % 5));
                pair.modifyRemote(QueuePairState.ERR);
                pair.awaitRemoteEvent(LAST);
                posted -= fixture.b().execute(new PeerCommand.Poll(recvCq, 64, 0)).size();
                target.fill(round);
            }
            pair.expectNoRemoteReceive();
            target.check(0, 50_000, round, "buffer after the last receive was taken");
            pair.reconnect();
        }
        expect(LAST, 0);
    }

    @Test
    void closedQueuePairTakesItsUnreadEventsAlong() {
        Pair pair = connect(new PairSpec());
        Pair other = connect(new PairSpec());
        pair.modifyRemote(QueuePairState.ERR);
        assertTrue(Waiting.until(() -> pair.queryRemote().state() == QueuePairState.ERR, Waiting.LIMIT_NANOS));
        fixture.b().execute(new PeerCommand.Destroy(pair.remoteQp()));
        other.modifyRemote(QueuePairState.ERR);
        other.awaitRemoteEvent(LAST);
        PeerAnswer.Event more = fixture.b().execute(new PeerCommand.TakeEvent(-1, Pair.QUIET_NANOS));
        assertEquals(PeerAnswer.Event.NONE, more);
    }
}
