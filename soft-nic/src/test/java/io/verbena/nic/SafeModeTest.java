package io.verbena.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WorkCompletion;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Thread-safe queue pairs: any number of threads post and poll. Each signalled request completes once, requests of one
 * poster complete in order, and who has polled a completion may post again.
 */
class SafeModeTest {
    private static final int POSTER_SHIFT = 32;
    private static final int MESSAGE_BYTES = 16;
    private static final int SLOT_BYTES = 64;

    /** One run: posters and pollers, and the books they keep. */
    private static final class Run {
        final TwoEnds ends;
        final int posters;
        final int perPoster;
        final int depth;
        final Semaphore permits;
        final Semaphore receives;
        final AtomicLong completed = new AtomicLong();
        final AtomicLong received = new AtomicLong();
        final AtomicLong messages = new AtomicLong();
        final AtomicLong refused = new AtomicLong();
        final AtomicIntegerArray sendNext;
        final AtomicIntegerArray receivedOf;
        final boolean writesToo;
        int pollers = 1;

        Run(int posters, int depth, int perPoster, boolean writesToo) {
            ends = new TwoEnds(Setup.of(Threading.SAFE, depth));
            this.posters = posters;
            this.perPoster = perPoster;
            this.depth = depth;
            this.writesToo = writesToo;
            permits = new Semaphore(depth);
            receives = new Semaphore(depth);
            sendNext = new AtomicIntegerArray(posters);
            receivedOf = new AtomicIntegerArray(posters);
        }

        /** Posts sends, and writes in between; takes a permit before each. */
        void post(int poster) {
            for (int i = 0; i < perPoster; i++) {
                permits.acquireUninterruptibly();
                long wrId = (long) poster << POSTER_SHIFT | i;
                long offset = (long) poster * SLOT_BYTES;
                int status;
                if (writesToo && i % 3 == 0) {
                    status = ends.a.write(wrId, offset, MESSAGE_BYTES, ends.b);
                } else {
                    messages.incrementAndGet();
                    status = ends.a.send(wrId, offset, MESSAGE_BYTES);
                }
                if (status != PostStatus.OK) {
                    refused.incrementAndGet();
                    throw new AssertionError("post " + i + " of poster " + poster + ": "
                            + PostStatus.describe(status) + " with " + permits.availablePermits() + " permits left");
                }
            }
        }

        /** Takes one completion of a send, if there is one. */
        void pollSend(WorkCompletion completion) {
            if (ends.a.sendCq.poll(completion) == 1) {
                int poster = (int) (completion.wrId() >>> POSTER_SHIFT);
                int sequence = (int) completion.wrId();
                assertTrue(completion.isSuccess(), completion.toString());
                // With one poller completions come in order; with several they are only counted.
                int before = sendNext.getAndIncrement(poster);
                assertTrue(pollers > 1 || before == sequence, poster + ": " + sequence + " after " + before);
                completed.incrementAndGet();
                permits.release();
            }
        }

        /** Posts a receive if one is due, and takes a completion of one. */
        void serve(WorkCompletion completion) {
            if (receives.tryAcquire()) {
                End.ok(ends.b.receive(0, 1024, MESSAGE_BYTES));
            }
            if (ends.b.recvCq.poll(completion) == 1) {
                assertTrue(completion.isSuccess(), completion.toString());
                assertEquals(MESSAGE_BYTES, completion.byteLen());
                received.incrementAndGet();
                receives.release();
            }
        }

        boolean isDone() {
            return completed.get() == (long) posters * perPoster && received.get() == messages.get();
        }

        void execute(int pollThreads) {
            pollers = pollThreads;
            try (Crew crew = new Crew()) {
                for (int i = 0; i < posters; i++) {
                    int poster = i;
                    crew.start("poster-" + i, () -> post(poster));
                }
                for (int i = 0; i < pollThreads; i++) {
                    crew.start("poller-" + i, () -> {
                        WorkCompletion completion = new WorkCompletion();
                        while (!isDone() && !crew.hasFailed()) {
                            pollSend(completion);
                            serve(completion);
                        }
                        permits.release(crew.hasFailed() ? Integer.MAX_VALUE / 4 : 0);
                    });
                }
            }
            finish();
        }

        private void finish() {
            WorkCompletion completion = new WorkCompletion();
            for (CompletionQueue queue : new CompletionQueue[] {ends.a.sendCq, ends.b.recvCq}) {
                assertEquals(0, queue.poll(completion), "a completion too many: " + completion);
            }
            for (int poster = 0; poster < posters; poster++) {
                assertEquals(perPoster, sendNext.get(poster));
            }
            assertEquals(depth, permits.availablePermits());
            for (int i = 0; i < depth; i++) {
                End.ok(ends.a.write(i, 0, MESSAGE_BYTES, ends.b));
            }
            assertEquals(PostStatus.QUEUE_FULL, ends.a.write(depth, 0, MESSAGE_BYTES, ends.b));
            for (int i = 0; i < depth; i++) {
                End.expect(ends.a.sendCq, i);
            }
            ends.close();
        }
    }

    @ParameterizedTest
    @CsvSource({"4, 16, 1", "4, 3, 1", "6, 64, 3", "2, 1, 1", "8, 7, 4"})
    void eachRequestCompletesOnceAndItsSlotIsFreeAgain(int posters, int depth, int pollers) {
        new Run(posters, depth, 40_000 / posters, true).execute(pollers);
    }

    @Tag("ci")
    @ParameterizedTest
    @CsvSource({"4, 16, 1", "4, 3, 1", "6, 64, 3", "2, 1, 1", "8, 7, 4", "8, 128, 2"})
    void eachRequestCompletesOnceForLong(int posters, int depth, int pollers) {
        for (int round = 0; round < 5; round++) {
            new Run(posters, depth, 200_000 / posters, true).execute(pollers);
        }
    }
}
