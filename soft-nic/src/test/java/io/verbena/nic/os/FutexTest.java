package io.verbena.nic.os;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Sleeping on words of shared memory. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "futex is a call of Linux")
class FutexTest {
    private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(30);

    @Test
    void whoSleepsOnOneMappingIsWokenThroughAnother() throws IOException, InterruptedException {
        try (MemoryFile file = MemoryFile.create("verbena-test", 4096); Arena arena = Arena.ofShared()) {
            MemorySegment mine = file.map(true, arena);
            MemorySegment theirs = file.map(true, arena);
            Thread sleeper = new Thread(() -> {
                Futex futex = new Futex();
                while ((int) ValueLayout.JAVA_INT.varHandle().getVolatile(theirs, 64L) == 0) {
                    futex.await(theirs.address() + 64, 0, LONG_NANOS);
                }
            });
            sleeper.start();
            // As long as somebody is woken who finds nothing changed, somebody sleeps.
            while (Futex.wake(mine.address() + 64, 1) == 0) {
                Thread.onSpinWait();
            }
            long start = System.nanoTime();
            ValueLayout.JAVA_INT.varHandle().setVolatile(mine, 64L, 1);
            Futex.wake(mine.address() + 64, 1);
            sleeper.join();
            assertTrue(System.nanoTime() - start < LONG_NANOS / 2);
        }
    }

    @Test
    void sleepEndsInTimeAndDoesNotBeginOnAnotherValue() throws IOException {
        try (MemoryFile file = MemoryFile.create("verbena-test", 4096); Arena arena = Arena.ofShared()) {
            long word = file.map(true, arena).address();
            Futex futex = new Futex();
            long start = System.nanoTime();
            futex.await(word, 1, LONG_NANOS);
            assertTrue(System.nanoTime() - start < LONG_NANOS / 2);
            futex.await(word, 0, TimeUnit.MILLISECONDS.toNanos(20));
            long took = System.nanoTime() - start;
            assertTrue(took >= TimeUnit.MILLISECONDS.toNanos(20) && took < LONG_NANOS / 2, took + " ns");
            assertEquals(0, Futex.wake(word, Integer.MAX_VALUE));
        }
    }
}
