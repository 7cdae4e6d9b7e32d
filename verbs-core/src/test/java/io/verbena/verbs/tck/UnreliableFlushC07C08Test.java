package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Opcode;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.Completion;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.PeerAnswer;
import io.verbena.verbs.tck.peer.Waiting;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What ERR and SQD do to the queues of unreliable services. */
@DisplayName("C07 flush in ERR, C08 send queue drain: UC and UD")
@Timeout(60)
class UnreliableFlushC07C08Test extends FixtureTest {
    private Pair connect(QueuePairType type, Threading threading) {
        return fixture.connected(new PairSpec().type(type).threading(threading));
    }

    private static void flushed(long from, List<Completion> completions) {
        assertEquals(LongStream.range(from, from + completions.size()).boxed().toList(),
                completions.stream().map(Completion::wrId).toList(), completions.toString());
        assertEquals(List.of(WcStatus.WR_FLUSH_ERR), completions.stream().map(Completion::status).distinct().toList());
    }

    private static void postHeld(Pair pair, int count) {
        for (int i = 0; i < count; i++) {
            pair.post(WorkSpec.send(i, i % 4 == 1 ? Opcode.SEND_WITH_IMM : Opcode.SEND)
                    .flags(i % 3 == 0 ? SendFlags.SIGNALED : 0));
            pair.postReceive(WorkSpec.receive(1000 + i));
        }
    }

    @ParameterizedTest
    @CsvSource({"UC, SAFE", "UC, SINGLE", "UD, SAFE", "UD, SINGLE"})
    void allWorkOfBothQueuesIsFlushedInOrderSignalledOrNot(QueuePairType type, Threading threading) {
        Pair pair = connect(type, threading);
        pair.modify(QueuePairState.SQD);
        postHeld(pair, 30);
        pair.expectNoCompletion();
        pair.modify(QueuePairState.ERR);
        flushed(0, pair.await(30));
        flushed(1000, Waiting.poll(pair.recvCq(), 30, Waiting.LIMIT_NANOS));
        pair.expectNoCompletion();
    }

    @ParameterizedTest
    @CsvSource({"UC, SAFE", "UC, SINGLE", "UD, SAFE", "UD, SINGLE"})
    void workPostedAfterwardsIsFlushedTooSoThatADrainMarkerComesLast(QueuePairType type, Threading threading) {
        Pair pair = connect(type, threading);
        pair.postReceive(WorkSpec.receive(1000), WorkSpec.receive(1001));
        pair.modify(QueuePairState.ERR);
        pair.post(WorkSpec.send(0, Opcode.SEND).flags(0), WorkSpec.send(1, Opcode.SEND));
        pair.postReceive(WorkSpec.receive(1002));
        flushed(0, pair.await(2));
        flushed(1000, Waiting.poll(pair.recvCq(), 3, Waiting.LIMIT_NANOS));
    }

    @ParameterizedTest
    @CsvSource({"UC, SAFE", "UC, SINGLE", "UD, SAFE", "UD, SINGLE"})
    void receivedMessagesComeBeforeTheFlushes(QueuePairType type, Threading threading) {
        Pair pair = connect(type, threading);
        Buffer target = fixture.local(200, MemoryKind.DEVICE);
        for (int i = 0; i < 10; i++) {
            pair.postReceive(WorkSpec.receive(1000 + i).sge(target.address(), 200, target.lkey()));
        }
        for (int i = 0; i < 4; i++) {
            pair.postRemote(WorkSpec.send(i, Opcode.SEND));
        }
        pair.awaitRemoteSends(4);
        pair.modify(QueuePairState.ERR);
        List<Completion> all = Waiting.poll(pair.recvCq(), 10, Waiting.LIMIT_NANOS);
        assertEquals(10, all.size());
        assertTrue(all.subList(0, 4).stream().allMatch(each -> each.status() == WcStatus.SUCCESS), all.toString());
        flushed(1004, all.subList(4, 10));
    }

    @ParameterizedTest
    @CsvSource({"UC, SAFE", "UC, SINGLE", "UD, SAFE", "UD, SINGLE"})
    void errIsReachedFromEveryStateAndStays(QueuePairType type, Threading threading) {
        for (QueuePairState state : TransitionTable.REACHABLE) {
            if (state != QueuePairState.RESET) {
                Pair pair = fixture.pair(new PairSpec().type(type).threading(threading));
                StateDriver.bring(pair.qp(), fixture.a().gid(), state);
                pair.modify(QueuePairState.ERR);
                pair.modify(QueuePairState.ERR);
                pair.postReceive(WorkSpec.receive(4));
                assertEquals(WcStatus.WR_FLUSH_ERR, pair.awaitReceive().status(), "from " + state);
            }
        }
    }

    /** The receiver goes to ERR while messages stream in: each receive completes once, and its buffer is left alone. */
    @ParameterizedTest
    @CsvSource({"UC, SAFE", "UC, SINGLE", "UD, SAFE", "UD, SINGLE"})
    void everyReceiveCompletesOnceWhenTheQueuePairGoesToErrUnderFire(QueuePairType type, Threading threading) {
        int receives = 60;
        int bytes = 4_000;
        PairSpec spec = new PairSpec().type(type).threading(threading);
        spec.b().depth(16, receives).cqe(16, 2 * receives);
        Pair pair = fixture.connected(spec);
        Buffer source = fixture.local(bytes, MemoryKind.DEVICE);
        RemoteBuffer target = fixture.remote(bytes + 40, MemoryKind.DEVICE);
        for (int round = 0; round < 60; round++) {
            WorkSpec[] list = new WorkSpec[receives];
            Arrays.setAll(list, i -> WorkSpec.receive(i).sge(target.address(), bytes + 40, target.lkey()));
            pair.postRemoteReceive(list);
            AtomicBoolean stop = new AtomicBoolean();
            List<Completion> received;
            try (Threads threads = new Threads()) {
                threads.start("sender", () -> sendUntil(pair, source, stop));
                Waiting.pause(round * 5_000L);
                pair.modifyRemote(QueuePairState.ERR);
                received = pair.awaitRemoteReceives(receives);
                target.fill(round);
                Waiting.pause(50_000);
                stop.set(true);
            }
            target.check(0, bytes, round, "buffer after its receives were flushed");
            assertEquals(LongStream.range(0, receives).boxed().toList(),
                    received.stream().map(Completion::wrId).toList());
            received.stream().dropWhile(each -> each.status() == WcStatus.SUCCESS)
                    .forEach(each -> assertEquals(WcStatus.WR_FLUSH_ERR, each.status()));
            pair.expectNoRemoteReceive();
            pair.reconnect();
        }
    }

    private static Object sendUntil(Pair pair, Buffer source, AtomicBoolean stop) {
        while (!stop.get()) {
            pair.post(WorkSpec.send(1, Opcode.SEND).sge(source.address(), source.region().length(), source.lkey()));
            pair.await(WcStatus.SUCCESS);
        }
        return null;
    }

    // Draining

    private List<String> eventsFor(long nanos) {
        List<String> kinds = new ArrayList<>();
        for (PeerAnswer.Event event = fixture.a().takeAsyncEvent(nanos); !event.equals(PeerAnswer.Event.NONE);
                event = fixture.a().takeAsyncEvent(nanos)) {
            kinds.add(event.kind());
        }
        return kinds;
    }

    @ParameterizedTest
    @CsvSource({"UC, SAFE", "UC, SINGLE", "UD, SAFE", "UD, SINGLE"})
    void drainingEndsWithOneEventAndHeldWorkResumesInOrder(QueuePairType type, Threading threading) {
        PairSpec spec = new PairSpec().type(type).threading(threading);
        Pair pair = fixture.connected(spec);
        RemoteBuffer target = fixture.remote(100, MemoryKind.DEVICE);
        pair.qp().modify(QueuePairAttributes.toState(QueuePairState.SQD).sqdAsyncNotify(true));
        pair.awaitEvent("SQ_DRAINED");
        assertFalse(pair.qp().query().sqDraining());
        for (int i = 0; i < 20; i++) {
            pair.postRemoteReceive(i, target, 0, 100);
            pair.post(WorkSpec.send(i, Opcode.SEND_WITH_IMM).imm(i));
        }
        pair.expectNoCompletion();
        pair.expectNoRemoteReceive();
        pair.modify(QueuePairState.RTS);
        assertEquals(LongStream.range(0, 20).boxed().toList(),
                pair.await(20).stream().map(Completion::wrId).toList());
        assertEquals(LongStream.range(0, 20).boxed().toList(),
                pair.awaitRemoteReceives(20).stream().map(each -> (long) each.imm()).toList());
        assertFalse(eventsFor(Pair.QUIET_NANOS).contains("SQ_DRAINED"), "the event comes once");
    }

    @ParameterizedTest
    @CsvSource({"UC, SAFE", "UC, SINGLE", "UD, SAFE", "UD, SINGLE"})
    void receiverSideKeepsWorkingInSqd(QueuePairType type, Threading threading) {
        PairSpec spec = new PairSpec().type(type).threading(threading);
        Pair pair = fixture.connected(spec);
        Buffer target = fixture.local(200, MemoryKind.DEVICE);
        RemoteBuffer source = fixture.remote(100, MemoryKind.DEVICE).fill(3);
        pair.modify(QueuePairState.SQD);
        pair.postReceive(WorkSpec.receive(9).sge(target.address(), 200, target.lkey()));
        pair.postRemote(WorkSpec.send(1, Opcode.SEND).sge(source.address(), 100, source.lkey()));
        assertEquals(9, pair.awaitReceive().wrId());
        target.check(spec.header(), 100, 3, "message received while draining");
    }

    @ParameterizedTest
    @CsvSource({"UC, SAFE", "UC, SINGLE", "UD, SAFE", "UD, SINGLE"})
    void errAndResetAreReachedFromSqd(QueuePairType type, Threading threading) {
        Pair toErr = connect(type, threading);
        toErr.modify(QueuePairState.SQD);
        toErr.post(WorkSpec.send(0, Opcode.SEND), WorkSpec.send(1, Opcode.SEND).flags(0));
        toErr.modify(QueuePairState.ERR);
        flushed(0, toErr.await(2));
        Pair toReset = connect(type, threading);
        toReset.modify(QueuePairState.SQD);
        toReset.post(WorkSpec.send(0, Opcode.SEND));
        toReset.modify(QueuePairState.RESET);
        toReset.expectNoCompletion();
        toReset.reconnect();
        toReset.post(WorkSpec.send(5, Opcode.SEND));
        assertEquals(5, toReset.await(WcStatus.SUCCESS).wrId());
    }

    @ParameterizedTest
    @CsvSource({"UC, SAFE", "UC, SINGLE", "UD, SAFE", "UD, SINGLE"})
    void drainStopsAStreamOfSendsAndLetsItGoOn(QueuePairType type, Threading threading) {
        PairSpec spec = new PairSpec().type(type).threading(Threading.SAFE);
        spec.a().threading(threading);
        Pair pair = fixture.connected(spec);
        Buffer source = fixture.local(4_000, MemoryKind.DEVICE);
        AtomicBoolean stop = new AtomicBoolean();
        try (Threads threads = new Threads()) {
            threads.start("sender", () -> sendUntil(pair, source, stop));
            for (int round = 0; round < 50; round++) {
                pair.qp().modify(QueuePairAttributes.toState(QueuePairState.SQD).sqdAsyncNotify(true));
                pair.awaitEvent("SQ_DRAINED");
                pair.modify(QueuePairState.RTS);
                Waiting.pause(100_000);
            }
            stop.set(true);
        }
    }
}
