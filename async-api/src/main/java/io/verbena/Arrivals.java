package io.verbena;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * What has arrived and nobody has taken, or who waits for what has not arrived. In order; nothing is lost when somebody
 * who waited has given up. Thread-safe.
 *
 * @param <T> what arrives
 */
final class Arrivals<T> {
    private final int max;
    private final Executor executor;
    private final Consumer<T> discard;
    private final ArrayDeque<T> arrived = new ArrayDeque<>();
    private final ArrayDeque<CompletableFuture<T>> waiting = new ArrayDeque<>();
    private RdmaException closed;

    /**
     * Makes an empty one.
     *
     * @param max how many may have arrived without being taken
     * @param executor where dependents of those who wait run
     * @param discard what becomes of those that nobody will take
     */
    Arrivals(int max, Executor executor, Consumer<T> discard) {
        this.max = max;
        this.executor = executor;
        this.discard = discard;
    }

    /** False if it is closed, or too many have arrived. */
    boolean offer(T value) {
        synchronized (this) {
            if (closed != null || arrived.size() >= max) {
                return false;
            }
            arrived.add(value);
        }
        match();
        return true;
    }

    synchronized boolean isClosed() {
        return closed != null;
    }

    CompletableFuture<T> take() {
        var future = new CompletableFuture<T>();
        synchronized (this) {
            if (closed != null) {
                future.completeExceptionally(closed);
                return future;
            }
            waiting.removeIf(CompletableFuture::isDone);
            waiting.add(future);
        }
        match();
        return future;
    }

    /** Without the lock where others' code runs: an executor may be one that does it at once. */
    private void match() {
        for (var next = nextPair(); next != null; next = nextPair()) {
            try {
                executor.execute(next);
            } catch (RejectedExecutionException e) {
                // Better on this thread than never.
                next.run();
            }
        }
    }

    private synchronized Runnable nextPair() {
        while (!arrived.isEmpty() && !waiting.isEmpty()) {
            var future = waiting.remove();
            if (!future.isDone()) {
                var value = arrived.remove();
                return () -> hand(future, value);
            }
        }
        return null;
    }

    private void hand(CompletableFuture<T> future, T value) {
        if (!future.complete(value)) {
            putBack(value);
        }
    }

    /** Whoever was to have it gave up in the last moment. */
    private void putBack(T value) {
        synchronized (this) {
            if (closed == null) {
                arrived.addFirst(value);
                value = null;
            }
        }
        if (value == null) {
            match();
        } else {
            discard.accept(value);
        }
    }

    /** Fails who waits, and discards what nobody has taken. */
    void close(RdmaException why) {
        List<CompletableFuture<T>> failed;
        List<T> left;
        synchronized (this) {
            closed = why;
            failed = new ArrayList<>(waiting);
            left = new ArrayList<>(arrived);
            waiting.clear();
            arrived.clear();
        }
        failed.forEach(future -> future.completeExceptionally(why));
        left.forEach(discard);
    }
}
