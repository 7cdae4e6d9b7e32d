package io.verbena.nic.wire;

import io.verbena.nic.direct.Progress;
import io.verbena.nic.os.Report;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.BackoffIdleStrategy;

/**
 * Drives a {@link NicLoop} when nobody else does: a target answers although its program does nothing, and whoever
 * sleeps is woken. Sleeps in the link until a packet comes or a deadline is over. While others drive often it only
 * looks now and then whether they still do; who stops says so by {@link #handOver}.
 */
final class LoopThread {
    /** While others drive as often as this, packets do not wait long for them. */
    private static final long OFTEN_NS = TimeUnit.MICROSECONDS.toNanos(20);
    private static final long SHORTEST_REST_NS = TimeUnit.MICROSECONDS.toNanos(100);
    private static final long LONGEST_REST_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LONGEST_SLEEP_NS = TimeUnit.SECONDS.toNanos(1);
    /** How long after a packet it stays awake for the next one; about what it costs to wake it. */
    private static final long LINGER_NS = TimeUnit.MICROSECONDS.toNanos(40);
    /** Whoever sends to it needs a processor, too. */
    private static final boolean LINGERS = Runtime.getRuntime().availableProcessors() > 1;
    /** Looks while another thread drives that has no end. */
    private static final int MOST_IN_VAIN = 16;
    private static final long STOP_MS = 5_000;
    /** Nobody sleeps until then. */
    private static final long AWAKE = Long.MIN_VALUE;

    private final NicLoop loop;
    private final Progress progress;
    private final Thread thread;
    private final Runnable sleeping = this::sleep;
    private final Runnable driving;
    private final boolean dedicated;
    private volatile long asleepUntil = AWAKE;
    private volatile boolean resting;
    /** Whether somebody who drove has gone to sleep since this looked last. */
    private volatile boolean handedOver;
    private volatile boolean stopping;

    LoopThread(NicLoop loop, Progress progress, String name, boolean dedicated) {
        this.loop = loop;
        this.progress = progress;
        driving = progress::runIfPending;
        this.dedicated = dedicated;
        thread = new Thread(dedicated ? this::driveAlways : this::driveAlone, name + "-progress");
        thread.setDaemon(true);
    }

    void start() {
        Report.prepare();
        thread.start();
    }

    private void driveAlways() {
        BackoffIdleStrategy idle = new BackoffIdleStrategy();
        while (!stopping) {
            long before = loop.packets();
            drive();
            idle.idle((int) (loop.packets() - before));
        }
    }

    private void driveAlone() {
        long rest = 0;
        int inVain = 0;
        while (!stopping) {
            long turns = loop.turns();
            long start = System.nanoTime();
            if (rest > 0) {
                rest(rest);
            } else {
                goOn(sleeping);
            }
            boolean left = handedOver;
            if (left) {
                handedOver = false;
            }
            long others = loop.turns() - turns;
            if (!left && others > 0 && others * OFTEN_NS >= System.nanoTime() - start) {
                rest = Math.clamp(2 * rest, SHORTEST_REST_NS, LONGEST_REST_NS);
            } else {
                rest = 0;
                turns = loop.turns();
                driveOn();
                inVain = loop.turns() == turns ? inVain + 1 : 0;
                if (inVain > MOST_IN_VAIN) {
                    // Who holds the role may have lost its processor: looking on would keep another one from it.
                    rest = SHORTEST_REST_NS;
                }
            }
        }
    }

    /**
     * Drives as long as packets come, and a little longer: to wake this takes longer than to take a packet, and whoever
     * sends the next one pays for it too. Not for ever, lest it goes on besides others who drive.
     */
    private void driveOn() {
        long start = System.nanoTime();
        long last = start;
        long now = start;
        do {
            long before = loop.packets();
            drive();
            now = System.nanoTime();
            if (loop.packets() != before) {
                last = now;
            } else if (last == start) {
                return; // nothing came: it was woken for a deadline, or for a queue pair that has had its turn
            }
        } while (LINGERS && now - last < LINGER_NS && now - start < LONGEST_REST_NS && !stopping);
    }

    private void rest(long nanos) {
        resting = true;
        // Who hands over says so first, then looks whether this rests.
        if (!stopping && !handedOver) {
            LockSupport.parkNanos(this, nanos);
        }
        resting = false;
    }

    private void sleep() {
        long due = earlier(loop.due(), progress.nextDeadline());
        asleepUntil = due == Progress.NEVER ? Long.MAX_VALUE : due;
        // Whoever makes something due earlier says so first, then looks whether this sleeps.
        VarHandle.fullFence();
        long still = earlier(loop.due(), progress.nextDeadline());
        long left = still == Progress.NEVER ? LONGEST_SLEEP_NS : still == Progress.NOW ? 0 : still - System.nanoTime();
        if (left > 0 && !loop.isRung() && !stopping) {
            loop.link().await(Math.min(left, LONGEST_SLEEP_NS));
        }
        asleepUntil = AWAKE;
    }

    private static long earlier(long a, long b) {
        if (a == Progress.NOW || b == Progress.NOW) {
            return Progress.NOW;
        }
        if (a == Progress.NEVER || b == Progress.NEVER) {
            return a == Progress.NEVER ? b : a;
        }
        return a - b < 0 ? a : b;
    }

    private void drive() {
        long failures = loop.failures();
        goOn(driving);
        if (loop.failures() != failures) {
            LockSupport.parkNanos(this, LONGEST_REST_NS); // what fails may fail again at once
        }
    }

    /** Without this thread a passive target answers nobody: whatever fails, it goes on, but not without a pause. */
    private void goOn(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            asleepUntil = AWAKE;
            Report.failure(thread.getName(), "failed and goes on", e);
            LockSupport.parkNanos(this, LONGEST_REST_NS);
        }
    }

    /** Whether the calling thread is this one, and drives since nobody posts or polls. */
    boolean drivesAlone() {
        return !dedicated && Thread.currentThread() == thread;
    }

    /** Something is due at a time; by any thread. */
    void wakeFor(long due) {
        if (due == Progress.NEVER) {
            return;
        }
        VarHandle.fullFence();
        long until = asleepUntil;
        if (until != AWAKE && (due == Progress.NOW || until == Long.MAX_VALUE || due - until < 0)) {
            asleepUntil = AWAKE;
            loop.link().wake();
        }
    }

    /** A thread that has driven is about to sleep; by any thread. */
    void handOver() {
        handedOver = true;
        if (resting) {
            LockSupport.unpark(thread);
        }
    }

    /** Ends; waits until the thread is gone. */
    void stop() {
        stopping = true;
        LockSupport.unpark(thread);
        loop.link().wake();
        try {
            if (thread != Thread.currentThread()) {
                thread.join(STOP_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
