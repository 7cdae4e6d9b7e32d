package io.verbena.async.op;

import io.verbena.async.memory.MonotonicClock;
import io.verbena.verbs.CompletionQueue;
import java.util.concurrent.locks.LockSupport;

/** One wait for the end of an operation: drives, spins, and parks once that is no use. */
final class Wait {
    private static final int MAX_COMPLETIONS = 32;
    private static final int LOOKS_BETWEEN_CLOCKS = 32;
    private static final long DRIVE_NANOS = 50_000;
    private static final long VIRTUAL_DRIVE_NANOS = 5_000;
    private static final long LONGEST_SLEEP_NANOS = 10_000_000;
    private static final long DRIVER_SLEEP_NANOS = 1_000_000;
    private static final long SHORTEST_PARK_NANOS = 50_000;

    private final Poller poller;
    private final Waiter waiter;
    private final long deadline;
    private long parkNanos = SHORTEST_PARK_NANOS;

    Wait(Poller poller, Waiter waiter, long deadline) {
        this.poller = poller;
        this.waiter = waiter;
        this.deadline = deadline;
    }

    boolean run() throws InterruptedException {
        boolean mayPark = !poller.isMine();
        boolean virtual = Thread.currentThread().isVirtual();
        while (true) {
            if (driveFor(virtual ? VIRTUAL_DRIVE_NANOS : DRIVE_NANOS)) {
                return true;
            }
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            if (MonotonicClock.nanos() >= deadline) {
                return waiter.isDone();
            }
            if (!mayPark) {
                Thread.onSpinWait();
            } else if (poller.thread() != null) {
                poller.thread().awake();
                park(LONGEST_SLEEP_NANOS);
            } else if (virtual || !sleepAsDriver()) {
                // With nobody else to drive it looks again by itself, less and less often.
                park(parkNanos);
                parkNanos = Math.min(2 * parkNanos, virtual ? 1_000_000 : LONGEST_SLEEP_NANOS);
            }
        }
    }

    /**
     * Drives until it is done, the thread is interrupted, or time is over: the deadline, also while there are always
     * more completions of others, or so long without any. Returns whether it is done.
     */
    private boolean driveFor(long nanos) {
        long end = 0;
        for (int looks = 1; ; looks++) {
            int taken = poller.drive(MAX_COMPLETIONS);
            if (waiter.isDone()) {
                return true;
            }
            if (looks % LOOKS_BETWEEN_CLOCKS == 0) {
                long now = MonotonicClock.nanos();
                if (now >= deadline || Thread.currentThread().isInterrupted()) {
                    return false;
                }
                if (end == 0) {
                    end = now + nanos;
                } else if (taken <= 0 && now >= end) {
                    return false;
                }
            }
            if (taken <= 0) {
                if (poller.thread() != null) {
                    poller.thread().noteCaller();
                }
                Thread.onSpinWait();
            }
        }
    }

    private void park(long atMost) {
        if (!waiter.parks(Thread.currentThread())) {
            // Another thread waits for the same; this one looks again by itself.
            LockSupport.parkNanos(this, SHORTEST_PARK_NANOS);
            return;
        }
        if (poller.thread() == null) {
            // Only then does anybody take it out again.
            poller.line().enter(waiter);
        }
        long left = Math.min(atMost, deadline - MonotonicClock.nanos());
        if (left > 0 && !waiter.isDone()) {
            LockSupport.parkNanos(this, left);
        }
        waiter.parks(null);
    }

    /** Sleeps on the channel with the driver's role, so that nobody has to look; false when somebody else drives. */
    private boolean sleepAsDriver() {
        if (!poller.claim()) {
            return false;
        }
        try {
            if (poller.arm() && poller.turn(MAX_COMPLETIONS) == 0 && !waiter.isDone()) {
                long now = MonotonicClock.nanos();
                // Short: who wants a turn, or sets a deadline, can't wake this thread, which isn't ours to interrupt.
                long wake = Math.min(Math.min(deadline, poller.nextDue()), now + DRIVER_SLEEP_NANOS);
                CompletionQueue event = poller.channel().get(Math.max(0, wake - now));
                if (event != null) {
                    event.acknowledge(1);
                }
                poller.turn(MAX_COMPLETIONS);
            }
        } finally {
            poller.release();
        }
        return true;
    }
}
