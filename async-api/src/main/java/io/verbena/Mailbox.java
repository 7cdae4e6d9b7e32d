package io.verbena;

import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Brings together what has arrived and who waits for it, both in order. Anybody puts and takes; whoever finds nobody
 * at it matches for all. A wait that was cancelled takes nothing.
 */
final class Mailbox<T> {
    /** Waits that were cancelled are forgotten once in a while, when nothing arrives that would meet them. */
    private static final int MATCHES_BETWEEN_SWEEPS = 64;

    private final Consumer<T> taken;
    private final ConcurrentLinkedDeque<T> arrived = new ConcurrentLinkedDeque<>();
    private final ConcurrentLinkedQueue<RdmaFuture<T>> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger matching = new AtomicInteger();
    private volatile Thread matcher;
    private volatile Supplier<RuntimeException> end;
    private volatile Consumer<T> discard;
    /** Changed by whoever matches. */
    private int matches;

    Mailbox() {
        this(item -> { });
    }

    /** Tells of each item that a future got, which those that {@link #poll} returns are not. */
    Mailbox(Consumer<T> taken) {
        this.taken = taken;
    }

    void put(T item) {
        arrived.add(item);
        match();
    }

    void take(RdmaFuture<T> future) {
        future.holdsNothing();
        waiting.add(future);
        match();
    }

    /** The oldest, for a consumer that takes the place of waiters; null when there is none. */
    T poll() {
        return arrived.poll();
    }

    /** Nothing arrives any more: who waits fails once what has arrived is taken. */
    void end(Supplier<RuntimeException> why) {
        if (end == null) {
            end = why;
        }
        match();
    }

    /**
     * Throws away what has arrived, and what arrives late. By whoever matches, so that nobody gets what came after
     * something that was thrown away.
     */
    void close(Consumer<T> thrownAway) {
        discard = thrownAway;
        match();
    }

    private void match() {
        if (matching.getAndIncrement() != 0) {
            if (matcher == Thread.currentThread()) {
                // Inside a dependent of what was given just now, which may wait for the next one.
                matchSome();
            }
            return;
        }
        int seen = 1;
        do {
            matcher = Thread.currentThread();
            matchSome();
            matcher = null;
            seen = matching.addAndGet(-seen);
        } while (seen != 0);
    }

    private void matchSome() {
        Consumer<T> to = discard;
        for (T each = to == null ? null : arrived.poll(); each != null; each = arrived.poll()) {
            to.accept(each);
        }
        if (++matches % MATCHES_BETWEEN_SWEEPS == 0) {
            waiting.removeIf(RdmaFuture::isDone);
        }
        while (!waiting.isEmpty()) {
            // Taken out before it is given: somebody else may poll, and dependents may come back here.
            T item = discard == null ? arrived.poll() : null;
            Supplier<RuntimeException> why = end;
            if (item == null && why == null) {
                return;
            }
            RdmaFuture<T> future = waiting.poll();
            if (item == null) {
                future.fail(why.get());
            } else if (future.finish(item)) {
                taken.accept(item);
            } else {
                arrived.addFirst(item);
            }
        }
    }
}
