package io.verbena.async.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Access;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Loans where one thread lends: the same rules, counted without atomics, beside holds of other threads. */
class LoansOfOneThreadTest {
    private static final int ROUNDS = 20_000;

    private Recorded loans = new Recorded();

    /** Counts how often memory was given back. */
    private static final class Recorded extends Loans {
        private final AtomicInteger quiesced = new AtomicInteger();

        Recorded() {
            super(Access.LOCAL_WRITE, true);
        }

        @Override
        protected void quiesced(boolean byOwner) {
            quiesced.incrementAndGet();
        }
    }

    @Test
    void aWriterExcludesWhatItOverlapsUntilItIsOver() {
        long read = loans.acquire(0, 64, true, "READ");
        assertEquals(Loans.CONFLICT, loans.acquire(63, 8, false, "WRITE"));
        assertTrue(loans.excludes(0, 1, false));
        assertFalse(loans.excludes(64, 1, true));
        long other = loans.acquire(64, 8, false, "WRITE");
        assertTrue(other > 0);
        assertEquals(2, loans.inFlight());
        loans.release(read);
        loans.release(other);
        assertFalse(loans.excludes(0, 128, true));
        assertEquals(0, loans.inFlight());
        assertTrue(loans.acquire(0, 64, true, "READ") > 0);
        assertThrows(IllegalStateException.class, () -> loans.release(read));
    }

    @Test
    void memoryIsGivenBackOnceItIsClosedAndNothingUsesIt() {
        long counted = loans.acquireCounted(true);
        long range = loans.acquire(0, 8, true, "READ");
        assertTrue(loans.close());
        assertEquals(Loans.CLOSED, loans.acquireCounted(false));
        assertEquals(Loans.CLOSED, loans.acquire(16, 8, false, "WRITE"));
        loans.release(range);
        assertEquals(0, loans.quiesced.get());
        loans.release(counted);
        assertEquals(1, loans.quiesced.get());
        assertFalse(loans.close());
        assertEquals(1, loans.quiesced.get());
    }

    @Test
    void memoryThatNothingUsesIsGivenBackByClosing() {
        loans.close();
        assertEquals(1, loans.quiesced.get());
        Recorded used = new Recorded();
        used.release(used.acquire(0, 8, true, "READ"));
        used.release(used.acquireCounted(false));
        used.close();
        assertEquals(1, used.quiesced.get());
    }

    @Test
    void whatHoldsTheMemoryBesidesKeepsIt() {
        assertTrue(loans.hold());
        loans.release(loans.acquireCounted(false));
        assertEquals(1, loans.inFlight());
        loans.close();
        assertFalse(loans.hold());
        assertEquals(0, loans.quiesced.get());
        loans.letGo();
        assertEquals(1, loans.quiesced.get());
    }

    @Test
    void itIsGivenBackOnceWhenAnotherThreadLetsGoMeanwhile() throws Exception {
        CyclicBarrier start = new CyclicBarrier(2);
        CyclicBarrier end = new CyclicBarrier(2);
        Thread other = Thread.ofPlatform().daemon().start(() -> {
            try {
                for (int i = 0; i < ROUNDS; i++) {
                    start.await();
                    loans.letGo();
                    end.await();
                }
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        for (int i = 0; i < ROUNDS; i++) {
            loans = new Recorded();
            assertTrue(loans.hold());
            long loan = loans.acquire(0, 8, true, "READ");
            start.await();
            if (i % 2 == 0) {
                loans.release(loan);
                loans.close();
            } else {
                loans.close();
                loans.release(loan);
            }
            end.await();
            assertEquals(1, loans.quiesced.get(), "round " + i);
        }
        other.join();
    }
}
