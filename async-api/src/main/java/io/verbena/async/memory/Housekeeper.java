package io.verbena.async.memory;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * One daemon thread of a node for what may wait and must not wait on a poller: ends of leases and deregistrations that
 * come out of completions. It exists while there is something to do. A lease ends even when nobody polls.
 */
public final class Housekeeper implements AutoCloseable {
    private static final long IDLE_SECONDS = 5;

    private final ScheduledThreadPoolExecutor executor;

    /**
     * Makes one without a thread.
     *
     * @param name what to call its thread
     */
    public Housekeeper(String name) {
        executor = new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().daemon().name(name).factory());
        executor.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        executor.allowCoreThreadTimeOut(true);
        executor.setRemoveOnCancelPolicy(true);
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /** Does a task soon; at once, on the calling thread, after {@link #close}. */
    void soon(Runnable task) {
        try {
            executor.execute(task);
        } catch (RejectedExecutionException e) {
            task.run();
        }
    }

    /** Does a task later; never after {@link #close}. */
    void after(long nanos, Runnable task) {
        try {
            executor.schedule(task, nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            // The node closes, and with it everything a lease could end.
            assert executor.isShutdown();
        }
    }

    /** Does what is due, forgets what is not, and waits for its thread, for at most a few seconds. */
    @Override
    public void close() {
        executor.shutdown();
        boolean interrupted = false;
        try {
            executor.awaitTermination(IDLE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
