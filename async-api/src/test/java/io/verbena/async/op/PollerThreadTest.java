package io.verbena.async.op;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.async.memory.MonotonicClock;
import io.verbena.verbs.Context;
import io.verbena.verbs.Devices;
import io.verbena.verbs.WorkCompletion;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A poller's thread that sleeps until something completes wakes for whatever else there is to do. */
class PollerThreadTest {
    /** Longer than any test may take. */
    private static final long LONG_SLEEP_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final int ROUNDS = 200;

    private final Semaphore turns = new Semaphore(0);
    private final Semaphore looks = new Semaphore(0);
    private final AtomicBoolean interrupted = new AtomicBoolean();
    private final Driven driven = new Driven() {
        @Override
        protected void onCompletion(WorkCompletion completion) {
            throw new AssertionError("nothing completes here");
        }

        @Override
        protected void onTurn() {
            note();
            turns.release();
        }

        @Override
        protected long onDue(long now) {
            note();
            looks.release();
            return Operation.NEVER;
        }

        private void note() {
            if (Thread.currentThread().isInterrupted()) {
                interrupted.set(true);
            }
        }
    };
    private Context context;
    private Poller poller;

    @BeforeEach
    void open() {
        context = Devices.open("soft7");
    }

    @AfterEach
    void close() {
        poller.close();
        context.close();
        assertFalse(interrupted.get(), "what wakes the thread is not seen by who runs on it");
    }

    private void start(PollMode mode) {
        poller = new Poller(context, 16, false, made -> new PollerThread(made, mode, "test", LONG_SLEEP_NANOS));
        poller.add(1, driven);
        poller.start();
    }

    private void awaitSleep() {
        long end = MonotonicClock.nanos() + TimeUnit.SECONDS.toNanos(20);
        while (!poller.thread().isAsleep()) {
            assertTrue(MonotonicClock.nanos() < end, "it never sleeps");
            LockSupport.parkNanos(10_000);
        }
    }

    @ParameterizedTest
    @EnumSource(value = PollMode.class, names = {"ADAPTIVE", "EVENT"})
    void whoWantsATurnGetsItThoughTheThreadSleeps(PollMode mode) throws Exception {
        start(mode);
        for (int i = 0; i < ROUNDS; i++) {
            if (i % 2 == 0) {
                awaitSleep();
            }
            poller.wantTurn(driven);
            assertTrue(turns.tryAcquire(20, TimeUnit.SECONDS), "turn " + i);
        }
    }

    @Test
    void whatIsDueSoonerThanTheThreadMeantToWakeIsLookedForInTime() throws Exception {
        start(PollMode.EVENT);
        for (int i = 0; i < ROUNDS / 4; i++) {
            if (i % 2 == 0) {
                awaitSleep();
            }
            looks.drainPermits();
            poller.dueBy(MonotonicClock.nanos() + 1_000_000);
            assertTrue(looks.tryAcquire(20, TimeUnit.SECONDS), "look " + i);
        }
    }

    @Test
    void closingDoesNotWaitForTheEndOfTheSleep() {
        start(PollMode.EVENT);
        awaitSleep();
    }
}
