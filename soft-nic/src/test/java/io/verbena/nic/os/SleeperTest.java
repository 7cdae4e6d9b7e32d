package io.verbena.nic.os;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Threads asleep in the system, and all that ends their sleep. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "futex_waitv is a call of Linux")
class SleeperTest {
    private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

    @BeforeEach
    void requireSleep() {
        assumeTrue(Sleeper.isSupported(), "this kernel has no futex_waitv");
    }

    @Test
    void whoWatchesOneMappingIsWokenThroughAnother() throws IOException, InterruptedException {
        try (MemoryFile file = MemoryFile.create("verbena-test", 4096); Arena arena = Arena.ofShared()) {
            MemorySegment mine = file.map(true, arena);
            MemorySegment theirs = file.map(true, arena);
            int rounds = 2_000;
            AtomicInteger seen = new AtomicInteger();
            Thread sleeper = new Thread(() -> {
                while (seen.get() < rounds) {
                    int value = (int) INT.getVolatile(theirs, 64L);
                    if (value != seen.get()) {
                        seen.set(value);
                        continue;
                    }
                    Sleeper.own().begin();
                    Sleeper.own().watch(theirs.address() + 128, 0);
                    Sleeper.own().watch(theirs.address() + 64, value);
                    Sleeper.own().await(LONG_NANOS);
                }
            });
            long start = System.nanoTime();
            sleeper.start();
            for (int round = 1; round <= rounds; round++) {
                INT.setVolatile(mine, 64L, round);
                Sleeper.wakeAll(mine.address() + 64);
                while (seen.get() < round) {
                    Thread.onSpinWait();
                }
            }
            sleeper.join();
            assertTrue(System.nanoTime() - start < LONG_NANOS, "a wake-up was lost");
        }
    }

    @Test
    void threadsOfThisProcessWakeEachOther() throws InterruptedException {
        int rounds = 2_000;
        AtomicInteger said = new AtomicInteger();
        AtomicInteger seen = new AtomicInteger();
        AtomicReference<Sleeper> own = new AtomicReference<>();
        Thread thread = new Thread(() -> {
            own.set(Sleeper.own());
            while (seen.get() < rounds) {
                Sleeper.own().begin();
                if (said.get() == seen.get()) {
                    Sleeper.own().await(LONG_NANOS);
                }
                seen.set(said.get());
            }
        });
        long start = System.nanoTime();
        thread.start();
        while (own.get() == null) {
            Thread.onSpinWait();
        }
        for (int round = 1; round <= rounds; round++) {
            said.set(round);
            own.get().wake();
            while (seen.get() < round) {
                Thread.onSpinWait();
            }
        }
        thread.join();
        assertTrue(System.nanoTime() - start < LONG_NANOS, "a wake-up was lost");
    }

    @Test
    void interruptsEndTheSleepAndKeepItFromBeginning() throws InterruptedException {
        AtomicInteger slept = new AtomicInteger();
        Thread thread = new Thread(() -> {
            Sleeper own = Sleeper.own();
            while (!Thread.currentThread().isInterrupted()) {
                slept.set(1);
                own.begin();
                own.await(LONG_NANOS);
            }
            own.begin();
            own.await(LONG_NANOS);
            slept.set(2);
        });
        long start = System.nanoTime();
        thread.start();
        while (slept.get() == 0) {
            Thread.onSpinWait();
        }
        thread.interrupt();
        thread.join();
        assertEquals(2, slept.get());
        assertTrue(System.nanoTime() - start < LONG_NANOS, "the interrupt was not noticed");
    }

    @Test
    void sleepEndsInTimeAndDoesNotBeginOnAnotherValueOrWhenWoken() throws IOException {
        try (MemoryFile file = MemoryFile.create("verbena-test", 4096); Arena arena = Arena.ofShared()) {
            long word = file.map(true, arena).address();
            Sleeper own = Sleeper.own();
            long start = System.nanoTime();
            own.begin();
            own.watch(word, 1);
            own.await(LONG_NANOS);
            own.begin();
            own.wake();
            own.await(LONG_NANOS);
            assertTrue(System.nanoTime() - start < LONG_NANOS / 2);
            own.begin();
            own.watch(word, 0);
            own.await(TimeUnit.MILLISECONDS.toNanos(20));
            long took = System.nanoTime() - start;
            assertTrue(took >= TimeUnit.MILLISECONDS.toNanos(20) && took < LONG_NANOS / 2, took + " ns");
        }
    }

    @Test
    void asManyWordsAreWatchedAsOneCallTakes() throws IOException {
        try (MemoryFile file = MemoryFile.create("verbena-test", 4096); Arena arena = Arena.ofShared()) {
            MemorySegment memory = file.map(true, arena);
            Sleeper own = Sleeper.own();
            own.begin();
            for (int i = 0; i < Sleeper.MAX_WORDS; i++) {
                assertTrue(own.watch(memory.address() + 8L * i, i == Sleeper.MAX_WORDS - 1 ? 1 : 0));
            }
            assertFalse(own.watch(memory.address(), 0));
            long start = System.nanoTime();
            own.await(LONG_NANOS); // the last one has another value
            assertTrue(System.nanoTime() - start < LONG_NANOS / 2);
        }
    }

    @Test
    void aWordThatIsUnmappedEndsTheSleepAndHurtsNobody() throws IOException {
        try (MemoryFile file = MemoryFile.create("verbena-test", 4096)) {
            Arena arena = Arena.ofShared();
            long word = file.map(true, arena).address();
            Sleeper own = Sleeper.own();
            own.begin();
            own.watch(word, 0);
            arena.close();
            long start = System.nanoTime();
            own.await(LONG_NANOS);
            assertTrue(System.nanoTime() - start < LONG_NANOS / 2);
        }
    }
}
