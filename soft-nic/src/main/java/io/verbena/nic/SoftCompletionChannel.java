package io.verbena.nic;

import io.verbena.verbs.CompletionChannel;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.VerbsException;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * A completion channel: the queues that have events, oldest first. Delivering takes no lock and allocates nothing: a
 * queue with its first undelivered event goes on a stack through a field of its own.
 */
final class SoftCompletionChannel implements CompletionChannel {
    private static final long PARK_NS = 20_000;

    private final SoftContext context;
    private final AtomicReference<SoftCompletionQueue> arrivals = new AtomicReference<>();
    private final ArrayDeque<SoftCompletionQueue> ready = new ArrayDeque<>();
    private final AtomicBoolean takeRole = new AtomicBoolean();
    private final Waiters waiters = new Waiters();
    private final Supplier<CompletionQueue> take = this::take;
    /** How other processes are heard; null when there is no way from them. */
    private final Ear ear;
    private int queues;
    private volatile boolean closed;

    SoftCompletionChannel(SoftContext context) {
        this.context = context;
        ear = context.nic().hearing() == null ? null : new Ear(context.nic().hearing());
    }

    /** How other processes are heard; null when there is no way from them. */
    Ear ear() {
        return ear;
    }

    SoftContext context() {
        return context;
    }

    /** Adds an event; by any thread. */
    void deliver(SoftCompletionQueue queue) {
        if (queue.addEvent()) {
            SoftCompletionQueue top;
            do {
                top = arrivals.get();
                queue.nextInChannel = top;
            } while (!arrivals.compareAndSet(top, queue));
        }
        waiters.wakeAll();
    }

    private CompletionQueue take() {
        if (closed) {
            throw VerbsException.closed("completion channel");
        }
        if (ear != null) {
            ear.look();
        }
        if (!takeRole.compareAndSet(false, true)) {
            return null;
        }
        SoftCompletionQueue queue;
        boolean more;
        try {
            acceptArrivals();
            queue = ready.peekFirst();
            if (queue != null && queue.takeEvent()) {
                ready.removeFirst();
            }
            more = !ready.isEmpty();
        } finally {
            takeRole.set(false);
        }
        // Somebody may have found the role taken and gone to sleep; there is something left for him.
        if (more || arrivals.get() != null) {
            waiters.wakeAll();
        }
        return queue;
    }

    private void acceptArrivals() {
        SoftCompletionQueue reversed = null;
        for (SoftCompletionQueue queue = arrivals.getAndSet(null); queue != null; ) {
            SoftCompletionQueue below = queue.nextInChannel;
            queue.nextInChannel = reversed;
            reversed = queue;
            queue = below;
        }
        for (SoftCompletionQueue queue = reversed; queue != null; queue = queue.nextInChannel) {
            ready.addLast(queue);
        }
    }

    /** Drops the undelivered events of a queue. */
    void forget(SoftCompletionQueue queue) {
        while (!takeRole.compareAndSet(false, true)) {
            LockSupport.parkNanos(PARK_NS);
        }
        try {
            acceptArrivals();
            ready.removeIf(other -> other == queue);
        } finally {
            takeRole.set(false);
        }
        waiters.wakeAll();
    }

    void queueAdded() {
        queues++;
    }

    void queueRemoved() {
        queues--;
    }

    Waiters waiters() {
        return waiters;
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public CompletionQueue get(long timeoutNanos) {
        return context.nic().waiting().await(take, timeoutNanos, waiters, ear);
    }

    @Override
    public String toString() {
        return (closed ? "closed " : "") + "completion channel on " + context.device().name();
    }

    @Override
    public void close() {
        context.nic().fabric().controlLock().lock();
        try {
            if (closed) {
                return;
            }
            if (queues > 0) {
                throw VerbsException.busy("completion channel", queues + " completion queue(s)");
            }
            closed = true;
            if (ear != null) {
                ear.close();
            }
            context.childClosed(this);
        } finally {
            context.nic().fabric().controlLock().unlock();
        }
        waiters.wakeAll();
    }
}
