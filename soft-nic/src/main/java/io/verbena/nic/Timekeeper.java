package io.verbena.nic;

import io.verbena.nic.direct.Progress;
import io.verbena.nic.os.Report;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Drives progress a little late, so that it is driven when nobody posts, polls or waits here: another process may be
 * waiting for what this one has outstanding. Sleeps while nothing is.
 */
final class Timekeeper {
    /** Between two looks while something is outstanding; others have had the time to do it themselves. */
    private static final long LOOK_NS = TimeUnit.MICROSECONDS.toNanos(100);
    private static final long STOP_MS = 5_000;

    private final Progress progress;
    private final Thread thread;
    private volatile boolean idle;
    private volatile boolean stopping;

    /**
     * Starts.
     *
     * @param name of the device
     * @param progress what to drive
     */
    Timekeeper(String name, Progress progress) {
        this.progress = progress;
        thread = new Thread(this::run, name + "-timekeeper");
        thread.setDaemon(true);
        thread.start();
    }

    /** Something is outstanding that was not before; by any thread, waits for nobody. */
    void wake() {
        if (idle) {
            idle = false;
            LockSupport.unpark(thread);
        }
    }

    private void run() {
        while (!stopping) {
            long deadline = progress.nextDeadline();
            if (deadline == Progress.NEVER) {
                idle = true;
                // Who registers sets the deadline, then looks whether this is idle.
                if (progress.nextDeadline() == Progress.NEVER && !stopping) {
                    LockSupport.park(this);
                }
                idle = false;
                continue;
            }
            long wait = deadline == Progress.NOW ? 0 : deadline - System.nanoTime();
            if (wait > LOOK_NS) {
                idle = true;
                if (progress.nextDeadline() == deadline && !stopping) {
                    LockSupport.parkNanos(this, wait);
                }
                idle = false;
            } else {
                LockSupport.parkNanos(this, LOOK_NS);
            }
            drive();
        }
    }

    private void drive() {
        try {
            progress.runIfPending();
        } catch (RuntimeException | Error e) {
            Report.failure(thread.getName(), "failed and goes on", e);
        }
    }

    /** Ends; waits until the thread is gone. */
    void stop() {
        stopping = true;
        LockSupport.unpark(thread);
        try {
            if (thread != Thread.currentThread()) {
                thread.join(STOP_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
