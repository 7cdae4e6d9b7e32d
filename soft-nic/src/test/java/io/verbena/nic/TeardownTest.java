package io.verbena.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WorkCompletion;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Queue pairs that end under the hands of posters, pollers and their peer: no crash, no hang, no late completion. */
class TeardownTest {
    private static final int DEPTH = 8;
    private static final int MESSAGE_BYTES = 32;
    private static final int CLEAN_CHECKS = 5;
    private static final long ENOUGH_TRAFFIC = 50;

    /** How a queue pair ends. */
    enum Ending {
        /** It is closed. */
        CLOSE,
        /** It goes to RESET and is connected again. */
        RESET,
        /** It goes to ERR, and then to RESET. */
        ERROR
    }

    /** Threads that post and poll whatever the queue pairs are now. */
    private static final class Storm {
        final TwoEnds ends;
        final Crew crew = new Crew();
        final AtomicLong polled = new AtomicLong();
        volatile boolean over;
        volatile int oldestQpNum;
        private int round;

        Storm(Threading threading) {
            ends = new TwoEnds(Setup.of(threading, DEPTH).withCqe(DEPTH * 4));
            int more = threading == Threading.SAFE ? 2 : 1;
            for (int i = 0; i < more; i++) {
                crew.start("a-poster-" + i, () -> post(ends.a, ends.b));
                crew.start("b-poster-" + i, () -> post(ends.b, ends.a));
                crew.start("b-receiver-" + i, () -> receive(ends.b));
                crew.start("a-receiver-" + i, () -> receive(ends.a));
            }
            crew.start("poller", this::poll);
        }

        private boolean goesOn() {
            return !over && !crew.hasFailed();
        }

        private void post(End from, End to) {
            for (int i = 0; goesOn(); i++) {
                int status = i % 4 == 0 ? from.write(i, 0, MESSAGE_BYTES, to) : from.send(i, 64, MESSAGE_BYTES);
                assertTrue(isExpected(status), PostStatus.describe(status));
            }
        }

        private void receive(End at) {
            while (goesOn()) {
                int status = at.receive(1, 1024, MESSAGE_BYTES);
                assertTrue(isExpected(status), PostStatus.describe(status));
            }
        }

        private static boolean isExpected(int status) {
            return status == PostStatus.OK || status == PostStatus.QUEUE_FULL || status == PostStatus.WRONG_STATE
                    || status == PostStatus.CLOSED;
        }

        private void poll() {
            WorkCompletion completion = new WorkCompletion();
            CompletionQueue[] queues = {ends.a.sendCq, ends.a.recvCq, ends.b.sendCq, ends.b.recvCq};
            while (goesOn()) {
                for (CompletionQueue queue : queues) {
                    int oldest = oldestQpNum;
                    int taken = queue.poll(completion);
                    assertTrue(taken >= 0, PostStatus.describe(taken));
                    if (taken > 0) {
                        polled.incrementAndGet();
                        assertTrue(completion.qpNum() >= oldest, "completion of a closed queue pair: " + completion);
                    }
                }
            }
        }

        void end(Ending how) {
            round++;
            switch (how) {
                case CLOSE -> {
                    ends.reopen();
                    oldestQpNum = Math.min(ends.a.qp.qpNum(), ends.b.qp.qpNum());
                }
                case RESET -> ends.reconnect();
                case ERROR -> {
                    (round % 2 == 0 ? ends.a : ends.b).modify(QueuePairState.ERR);
                    ends.reconnect();
                }
            }
        }

        /** Waits until some more completions have been polled. */
        void awaitTraffic() {
            long before = polled.get();
            Crew.await("traffic", () -> crew.hasFailed() || polled.get() - before >= ENOUGH_TRAFFIC);
        }

        void close() {
            over = true;
            crew.join();
            ends.close();
        }
    }

    private static void storm(Threading threading, int rounds) {
        for (Ending how : Ending.values()) {
            Storm storm = new Storm(threading);
            // On a thread of its own, so that one that hangs fails the test.
            try (Crew control = new Crew()) {
                control.start("control", () -> {
                    for (int i = 0; i < rounds && !storm.crew.hasFailed(); i++) {
                        if (i % 16 == 0) {
                            storm.awaitTraffic();
                        }
                        storm.end(how);
                    }
                });
            }
            storm.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void queuePairsEndInAStorm(Threading threading) {
        storm(threading, 300);
    }

    @Tag("ci")
    @ParameterizedTest
    @EnumSource
    void queuePairsEndInAStormForLong(Threading threading) {
        storm(threading, 5_000);
    }

    @ParameterizedTest
    @EnumSource
    void nextQueuePairFindsItsMemoryClean(Threading threading) {
        try (TwoEnds ends = new TwoEnds(Setup.of(threading, DEPTH))) {
            WorkCompletion completion = new WorkCompletion();
            for (int round = 0; round < 300; round++) {
                for (int i = 0; i < round % (DEPTH + 1); i++) {
                    End.ok(ends.b.receive(666, 0, MESSAGE_BYTES));
                    End.ok(ends.a.send(666, 0, round % 40));
                }
                QueuePair old = ends.a.qp;
                ends.reopen();
                for (int i = 0; i < CLEAN_CHECKS; i++) {
                    assertEquals(0, ends.a.sendCq.poll(completion));
                    assertEquals(0, ends.b.recvCq.poll(completion));
                }
                assertEquals(PostStatus.CLOSED, old.postSend(1, 0, 0, 0, 0));
                assertEquals(PostStatus.CLOSED, old.postReceive(1, 0, 0, 0));
                for (int i = 0; i < DEPTH; i++) {
                    End.ok(ends.b.receive(i, 0, MESSAGE_BYTES));
                    End.ok(ends.a.send(i, 0, MESSAGE_BYTES));
                    End.expect(ends.a.sendCq, i);
                    End.expect(ends.b.recvCq, i);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void nothingPostedBeforeResetCompletesAfterIt(Threading threading) {
        try (TwoEnds ends = new TwoEnds(Setup.of(threading, 4)); Crew crew = new Crew()) {
            AtomicLong oldest = new AtomicLong();
            crew.start("poller", () -> {
                WorkCompletion completion = new WorkCompletion();
                while (oldest.get() >= 0) {
                    long least = oldest.get();
                    if (ends.a.sendCq.poll(completion) == 1) {
                        assertTrue(completion.wrId() >= least, completion + " after RESET, least " + least);
                        assertEquals(lengthOf(completion.wrId()), completion.byteLen(), completion.toString());
                    }
                }
            });
            for (int round = 0; round < 10_000 && !crew.hasFailed(); round++) {
                for (int i = 0; i < 1 + round % 4; i++) {
                    ends.a.write(round, 0, lengthOf(round), ends.b);
                }
                ends.reconnect();
                oldest.set(round + 1);
            }
            oldest.set(-1);
        }
    }

    private static long lengthOf(long wrId) {
        return 1 + wrId % 1000;
    }
}
