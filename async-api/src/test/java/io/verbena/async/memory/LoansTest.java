package io.verbena.async.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.verbena.verbs.Access;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;

/** Who may use which range at a time. */
class LoansTest {
    private static final long ROUNDS = 200_000;

    private final Recorded loans = new Recorded(Access.LOCAL_WRITE);

    /** Counts how often memory was given back. */
    private static final class Recorded extends Loans {
        private volatile int quiesced;
        private volatile boolean byOwner;

        Recorded(int access) {
            super(access, false);
        }

        @Override
        protected void quiesced(boolean owner) {
            quiesced++;
            byOwner = owner;
        }
    }

    private long read(long offset, long length) {
        return loans.acquire(offset, length, false, "WRITE");
    }

    private long write(long offset, long length) {
        return loans.acquire(offset, length, true, "READ");
    }

    @Test
    void readersShareARange() {
        assertTrue(read(0, 64) > 0);
        assertTrue(read(0, 64) > 0);
        assertEquals(2, loans.inFlight());
    }

    @Test
    void aWriterExcludesWhatItOverlaps() {
        long loan = write(64, 64);
        assertEquals(Loans.CONFLICT, write(127, 10));
        assertEquals(Loans.CONFLICT, read(0, 65));
        assertEquals(Loans.CONFLICT, read(80, 1));
        assertEquals(1, loans.inFlight());
        loans.release(loan);
        assertTrue(read(0, 65) > 0);
    }

    @Test
    void aReaderExcludesWriters() {
        read(10, 10);
        assertEquals(Loans.CONFLICT, write(19, 1));
        assertTrue(write(20, 1) > 0);
    }

    @Test
    void neighboursAndEmptyRangesAreNoConflict() {
        write(64, 64);
        assertTrue(write(0, 64) > 0);
        assertTrue(write(128, 64) > 0);
        assertEquals(Loans.COUNTED, write(80, 0));
        assertFalse(loans.excludes(80, 0, true));
        assertEquals(4, loans.inFlight());
    }

    @Test
    void placesOfReleasedLoansAreUsedAgain() {
        List<Long> held = new ArrayList<>();
        for (int round = 0; round < 1_000; round++) {
            for (int i = 0; i < 9; i++) {
                held.add(write(i * 8L, 8));
            }
            // Not in the order they came.
            for (int i = 0; i < 9; i++) {
                loans.release(held.remove((round + i * 4) % held.size()));
            }
        }
        assertEquals(0, loans.inFlight());
        assertTrue(write(0, 72) > 0);
    }

    @Test
    void releasingTwiceIsAFault() {
        long loan = write(0, 8);
        write(8, 8);
        loans.release(loan);
        assertThrows(IllegalStateException.class, () -> loans.release(loan));
        long next = write(0, 8);
        assertNotEquals(loan, next);
        assertThrows(IllegalStateException.class, () -> loans.release(loan));
        assertEquals(Loans.CONFLICT, read(0, 8));
    }

    @Test
    void saysWhatIsInTheWay() {
        write(64, 64);
        assertEquals("bytes 64 to 127, which READ in flight writes", loans.describe(100, 100, false));
        assertNull(loans.describe(0, 64, true));
        read(0, 8);
        assertEquals("bytes 0 to 7, which WRITE in flight reads", loans.describe(4, 8, true));
    }

    @Test
    void theApplicationWaitsForWhatWouldDisturbIt() {
        write(0, 8);
        read(8, 8);
        assertTrue(loans.excludes(0, 1, false));
        assertFalse(loans.excludes(8, 8, false));
        assertTrue(loans.excludes(8, 8, true));
        assertFalse(loans.excludes(16, 8, true));
    }

    @Test
    void memoryWithoutTheRightIsNotWritten() {
        Recorded readOnly = new Recorded(Access.REMOTE_READ);
        assertEquals(Loans.READ_ONLY, readOnly.acquire(0, 8, true, "READ"));
        assertEquals(Loans.READ_ONLY, readOnly.acquireCounted(true));
        assertTrue(readOnly.acquire(0, 8, false, "WRITE") > 0);
    }

    @Test
    void closedMemoryIsGivenBackWithTheLastLoan() {
        long first = write(0, 8);
        long counted = loans.acquireCounted(false);
        assertTrue(loans.close());
        assertFalse(loans.close());
        assertEquals(Loans.CLOSED, read(100, 8));
        assertEquals(Loans.CLOSED, loans.acquireCounted(false));
        loans.release(first);
        assertEquals(0, loans.quiesced);
        loans.release(counted);
        assertEquals(1, loans.quiesced);
        assertFalse(loans.byOwner);
    }

    @Test
    void unusedMemoryIsGivenBackByClose() {
        loans.release(write(0, 8));
        assertEquals(0, loans.quiesced);
        assertTrue(loans.close());
        assertEquals(1, loans.quiesced);
        assertTrue(loans.byOwner);
        assertFalse(loans.close());
        assertEquals(1, loans.quiesced);
    }

    @Test
    void threadsNeverHoldWhatExcludesEachOther() throws Exception {
        AtomicIntegerArray users = new AtomicIntegerArray(64);
        inThreads(() -> {
            ThreadLocalRandom random = ThreadLocalRandom.current();
            long got = 0;
            for (int i = 0; i < 100_000; i++) {
                int from = random.nextInt(60);
                int length = random.nextInt(1, 5);
                boolean writes = random.nextInt(3) == 0;
                long loan = loans.acquire(from, length, writes, "X");
                if (loan < 0) {
                    continue;
                }
                got++;
                mark(users, from, length, writes ? 1_000 : 1);
                for (int at = from; at < from + length; at++) {
                    int now = users.get(at);
                    assertTrue(writes ? now == 1_000 : now < 1_000, "byte " + at + " has users " + now);
                }
                mark(users, from, length, writes ? -1_000 : -1);
                loans.release(loan);
            }
            return got;
        });
        assertEquals(0, loans.inFlight());
    }

    private static void mark(AtomicIntegerArray users, int from, int length, int by) {
        for (int at = from; at < from + length; at++) {
            users.addAndGet(at, by);
        }
    }

    @Test
    void closingBesideOperationsGivesBackOnceAndAfterThem() throws Exception {
        for (int round = 0; round < 200; round++) {
            Recorded each = new Recorded(Access.LOCAL_WRITE);
            inThreads(() -> {
                long done = 0;
                for (int i = 0; ; i++) {
                    long loan = (i & 1) == 0 ? each.acquire(i & 31, 1, true, "X") : each.acquireCounted(true);
                    if (loan == Loans.CLOSED) {
                        return done;
                    }
                    if (loan >= 0) {
                        assertEquals(0, each.quiesced);
                        each.release(loan);
                        done++;
                    }
                    if (i == 500) {
                        each.close();
                    }
                }
            });
            assertEquals(1, each.quiesced);
        }
    }

    private static void inThreads(Callable<Long> work) throws Exception {
        long done = 0;
        try (var pool = Executors.newFixedThreadPool(4)) {
            for (var result : pool.invokeAll(List.of(work, work, work, work))) {
                done += result.get();
            }
        }
        assertTrue(done > 0);
    }

    @Test
    void lendingAllocatesNothing() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int attempt = 0; attempt < 6 && least > ROUNDS / 1_000; attempt++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < ROUNDS; i++) {
                long one = write(0, 64);
                long two = write(64, 64);
                assertEquals(Loans.CONFLICT, read(0, 8));
                loans.release(one);
                loans.release(two);
                loans.release(loans.acquireCounted(true));
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertTrue(least <= ROUNDS / 1_000, least + " bytes");
    }
}
