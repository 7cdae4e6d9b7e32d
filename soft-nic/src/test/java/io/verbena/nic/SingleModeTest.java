package io.verbena.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.PostStatus;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WorkCompletion;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Single-threaded queue pairs whose sends have to wait: other threads retry them while the poster goes on, so the claim
 * on the send queue changes hands all the time.
 */
class SingleModeTest {
    private static final int DEPTH = 16;
    private static final int BYTES = 32;

    /** One run: a poster, a receiver that is seldom ready, and threads that only drive the device. */
    private static final class Run {
        final TwoEnds ends = new TwoEnds(Setup.of(Threading.SINGLE, DEPTH));
        final int messages;
        final AtomicLong completed = new AtomicLong();
        final AtomicLong received = new AtomicLong();

        Run(int messages) {
            this.messages = messages;
        }

        /** Posts what fits, polls what is done; every third request is a write. */
        void post(long count) {
            WorkCompletion completion = new WorkCompletion();
            long posted = completed.get();
            long end = posted + count;
            while (completed.get() < end) {
                if (posted < end && posted - completed.get() < DEPTH) {
                    ends.a.set(0, posted);
                    int status = posted % 3 == 0
                            ? ends.a.write(posted, 512, BYTES, ends.b)
                            : ends.a.send(posted, posted % 16 * BYTES, BYTES);
                    assertEquals(PostStatus.OK, status, () -> PostStatus.describe(status));
                    posted++;
                }
                if (ends.a.sendCq.poll(completion) == 1) {
                    assertTrue(completion.isSuccess(), completion.toString());
                    assertEquals(completed.get(), completion.wrId());
                    completed.incrementAndGet();
                }
            }
        }

        /** Posts one receive at a time, late. */
        void receive() {
            WorkCompletion completion = new WorkCompletion();
            for (long next = 0; completed.get() < messages; ) {
                if (next <= completed.get() && ends.b.receive(next, 1024, BYTES) == PostStatus.OK) {
                    next++;
                }
                while (ends.b.recvCq.poll(completion) == 1) {
                    assertTrue(completion.isSuccess(), completion.toString());
                    assertEquals(received.getAndIncrement(), completion.wrId());
                }
            }
        }

        /** Polls a queue of its own, which drives the device. */
        void drive() {
            try (TwoEnds others = new TwoEnds(Setup.of(Threading.SINGLE, 1))) {
                WorkCompletion completion = new WorkCompletion();
                while (completed.get() < messages) {
                    assertEquals(0, others.a.sendCq.poll(completion));
                }
            }
        }
    }

    private static void postWithHelp(int messages, int helpers) {
        Run run = new Run(messages);
        try (Crew crew = new Crew()) {
            crew.start("poster", () -> run.post(messages));
            crew.start("receiver", run::receive);
            for (int i = 0; i < helpers; i++) {
                crew.start("helper-" + i, run::drive);
            }
        }
        run.ends.close();
    }

    @Test
    void waitingSendsAreRetriedByOthersWhileThePosterGoesOn() {
        postWithHelp(3_000, 0);
        postWithHelp(3_000, 1);
        postWithHelp(3_000, 3);
    }

    @Tag("ci")
    @Test
    void waitingSendsAreRetriedByOthersForLong() {
        postWithHelp(100_000, 1);
        postWithHelp(100_000, 4);
    }

    @Test
    void posterRoleIsHandedOverBetweenThreads() {
        int threads = 4;
        int turns = 100;
        int perTurn = 20;
        Run run = new Run(threads * turns * perTurn);
        ReentrantLock role = new ReentrantLock(true);
        try (Crew crew = new Crew()) {
            crew.start("receiver", run::receive);
            for (int i = 0; i < threads; i++) {
                crew.start("poster-" + i, () -> {
                    for (int turn = 0; turn < turns; turn++) {
                        role.lock();
                        try {
                            run.post(perTurn);
                        } finally {
                            role.unlock();
                        }
                    }
                });
            }
        }
        assertEquals(run.messages, run.completed.get());
        run.ends.close();
    }
}
