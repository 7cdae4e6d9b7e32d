package io.verbena.nic;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

/** The threads of a stress test: joined with a deadline; the first thing that one of them throws fails the test. */
public final class Crew implements AutoCloseable {
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(40);

    private final List<Thread> threads = new ArrayList<>();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    /** What a thread does. */
    @FunctionalInterface
    public interface Task {
        /** Does it. */
        void run() throws Exception;
    }

    /** Starts a thread. */
    public Thread start(String name, Task task) {
        Thread thread = new Thread(() -> {
            try {
                task.run();
            } catch (Throwable e) {
                failure.compareAndSet(null, e);
            }
        }, name);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
        return thread;
    }

    /** Whether a thread has failed, so that the others may as well end. */
    public boolean hasFailed() {
        return failure.get() != null;
    }

    /** Waits for all threads; throws what one of them threw. */
    public void join() {
        join(TimeUnit.NANOSECONDS.toSeconds(LIMIT_NS));
    }

    /** The same with another limit, in seconds. */
    public void join(long limitSeconds) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(limitSeconds);
        for (Thread thread : threads) {
            long leftNs = deadline - System.nanoTime();
            try {
                thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(leftNs)));
            } catch (InterruptedException e) {
                throw new AssertionError("interrupted", e);
            }
            if (thread.isAlive()) {
                throw new AssertionError(thread.getName() + " hangs in " + Arrays.toString(thread.getStackTrace()),
                        failure.get());
            }
        }
        threads.clear();
        if (hasFailed()) {
            throw new AssertionError("a thread failed", failure.get());
        }
    }

    /** Waits until something holds; fails after the deadline. */
    public static void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + LIMIT_NS;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError(what + " did not happen in time");
            }
            Thread.onSpinWait();
        }
    }

    @Override
    public void close() {
        join();
    }
}
