package io.verbena.verbs.tck;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Threads of a case; what one of them throws fails the test. */
final class Threads implements AutoCloseable {
    private final List<FutureTask<?>> tasks = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();

    /** Starts a platform thread. */
    <T> FutureTask<T> start(String name, Callable<T> body) {
        FutureTask<T> task = new FutureTask<>(body);
        Thread thread = new Thread(task, "tck-" + name);
        thread.setDaemon(true);
        tasks.add(task);
        threads.add(thread);
        thread.start();
        return task;
    }

    /** Waits for a result; throws what the thread threw. */
    static <T> T join(FutureTask<T> task) {
        try {
            return task.get(60, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError("thread failed: " + e.getCause(), e.getCause());
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError("thread did not end", e);
        }
    }

    /** Waits for all threads. */
    @Override
    public void close() {
        tasks.forEach(Threads::join);
    }

    List<Thread> all() {
        return threads;
    }
}
