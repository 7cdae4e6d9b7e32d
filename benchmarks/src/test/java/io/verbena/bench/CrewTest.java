package io.verbena.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The threads of a measurement. */
@Timeout(value = 30, unit = TimeUnit.SECONDS)
class CrewTest {
    @Test
    void everySideDoesEveryRun() {
        StopFlag stop = new StopFlag();
        Counting a = new Counting(stop);
        Counting b = new Counting(stop);
        try (Crew crew = new Crew(stop, () -> a, () -> b)) {
            for (int i = 0; i < 1_000; i++) {
                assertTrue(crew.run(3) >= 0);
            }
        }
        assertEquals(3_000, a.sum);
        assertEquals(3_000, b.sum);
    }

    @Test
    void aFailureEndsTheWaitOfTheOtherSide() {
        StopFlag stop = new StopFlag();
        try (Crew crew = new Crew(stop, () -> new Waiting(stop), () -> new Failing(stop))) {
            PerfException failure = assertThrows(PerfException.class, () -> crew.run(1));
            assertEquals("broken on purpose", failure.getMessage());
        }
    }

    @Test
    void aSideThatCannotBeMadeIsReported() {
        StopFlag stop = new StopFlag();
        PerfException failure = assertThrows(PerfException.class, () -> new Crew(stop, () -> new Counting(stop), () -> {
            throw new PerfException("not today");
        }).close());
        assertEquals("not today", failure.getMessage());
    }

    @Test
    void aRunAllocatesNothing() {
        StopFlag stop = new StopFlag();
        AllocationMeter meter = new AllocationMeter();
        try (Crew crew = new Crew(stop, () -> new Counting(stop), () -> new Counting(stop))) {
            long least = Long.MAX_VALUE;
            for (int i = 0; i < 50; i++) { // other threads of the test's JVM may allocate now and then
                long before = meter.total();
                crew.run(1);
                least = Math.min(least, meter.total() - before);
            }
            assertEquals(0, least);
        }
    }

    /** Counts. */
    private static final class Counting extends Side {
        private long sum;

        Counting(StopFlag stop) {
            super(stop);
        }

        @Override
        public void run(long count) {
            sum += count;
        }
    }

    /** Waits for something that never comes. */
    private static final class Waiting extends Side {
        Waiting(StopFlag stop) {
            super(stop);
        }

        @Override
        public void run(long count) {
            while (true) {
                giveWay();
            }
        }
    }

    /** Fails. */
    private static final class Failing extends Side {
        Failing(StopFlag stop) {
            super(stop);
        }

        @Override
        public void run(long count) {
            throw new PerfException("broken on purpose");
        }
    }
}
