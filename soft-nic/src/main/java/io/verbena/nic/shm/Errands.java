package io.verbena.nic.shm;

import io.verbena.nic.os.Report;
import io.verbena.verbs.Gid;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.TimeUnit;

/**
 * What a NIC has to ask other processes without anybody waiting for it: in order for each of them, by a thread that is
 * there while there is something to ask, so that one that gives no answer keeps the others from nothing.
 */
final class Errands {
    private final String name;
    private final Map<Gid, Queue<Runnable>> waiting = new HashMap<>();
    private final List<Thread> threads = new ArrayList<>();
    private boolean closed;

    /**
     * Starts without a thread.
     *
     * @param name of the threads
     */
    Errands(String name) {
        this.name = name;
    }

    /** Does something soon, after what is waiting for the same process. */
    synchronized void add(Gid whom, Runnable errand) {
        if (closed) {
            return;
        }
        Queue<Runnable> queue = waiting.get(whom);
        if (queue != null) {
            queue.add(errand);
            return;
        }
        Thread thread = new Thread(() -> run(whom), name + whom.toHex());
        thread.setDaemon(true);
        waiting.put(whom, new ArrayDeque<>(List.of(errand)));
        threads.add(thread);
        try {
            thread.start();
        } catch (Error e) {
            waiting.remove(whom);
            threads.remove(thread);
            throw e;
        }
    }

    private void run(Gid whom) {
        for (Runnable errand = next(whom); errand != null; errand = next(whom)) {
            try {
                errand.run();
            } catch (RuntimeException | Error e) {
                Report.failure(whom, "could not be asked for something", e);
            }
        }
    }

    private synchronized Runnable next(Gid whom) {
        Runnable next = closed ? null : waiting.get(whom).poll();
        if (next == null) {
            waiting.remove(whom);
            threads.remove(Thread.currentThread());
        }
        return next;
    }

    /** Begins nothing more and waits, for a limited time, until what was begun has ended. */
    void close(long millis) {
        List<Thread> left;
        synchronized (this) {
            closed = true;
            left = List.copyOf(threads);
        }
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        try {
            for (Thread thread : left) {
                thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
