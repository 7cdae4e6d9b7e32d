package io.verbena.nic;

import io.verbena.nic.counters.NicCounters;
import io.verbena.nic.stat.DeviceCounter;
import io.verbena.verbs.AsyncEvent;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;

/** The asynchronous events of one context: waiting to be taken, and taken but not acknowledged. */
final class EventQueue {
    private static final int MAX_WAITING = 65_536;

    private final ConcurrentLinkedQueue<AsyncEvent> waitingEvents = new ConcurrentLinkedQueue<>();
    private final Map<Long, AsyncEvent> unacknowledged = new ConcurrentHashMap<>();
    private final AtomicLong sequence = new AtomicLong();
    private final AtomicInteger waitingCount = new AtomicInteger();
    private final Object taking = new Object();
    private final Waiters waiters = new Waiters();
    private final NicCounters counters;

    EventQueue(NicCounters counters) {
        this.counters = counters;
    }

    /** Adds an event; by any thread, never blocks. */
    void raise(LongFunction<AsyncEvent> event) {
        counters.add(DeviceCounter.ASYNC_EVENTS, 1);
        waitingEvents.add(event.apply(sequence.incrementAndGet()));
        if (waitingCount.incrementAndGet() > MAX_WAITING) {
            // Nobody reads them; the oldest is of least use.
            drop();
        }
        waiters.wakeAll();
    }

    private void drop() {
        if (waitingEvents.poll() != null) {
            counters.add(DeviceCounter.ASYNC_EVENTS_DROPPED, 1);
            waitingCount.decrementAndGet();
        }
    }

    /** Takes the oldest event, or null. */
    AsyncEvent take() {
        synchronized (taking) {
            AsyncEvent event = waitingEvents.poll();
            if (event != null) {
                waitingCount.decrementAndGet();
                unacknowledged.put(event.sequence(), event);
            }
            return event;
        }
    }

    /** Acknowledges an event; false when it was not outstanding. */
    boolean acknowledge(AsyncEvent event) {
        boolean known = unacknowledged.remove(event.sequence(), event);
        waiters.wakeAll();
        return known;
    }

    Waiters waiters() {
        return waiters;
    }

    /** Drops what nobody has taken yet about an object. */
    void forget(Object subject) {
        synchronized (taking) {
            waitingEvents.removeIf(event -> {
                boolean concerned = subjectOf(event) == subject;
                if (concerned) {
                    waitingCount.decrementAndGet();
                }
                return concerned;
            });
        }
    }

    /** True, as an object, once every event taken about an object was acknowledged; else null. */
    Boolean settled(Object subject) {
        return unacknowledged.values().stream().anyMatch(event -> subjectOf(event) == subject) ? null : Boolean.TRUE;
    }

    private static Object subjectOf(AsyncEvent event) {
        return switch (event) {
            case AsyncEvent.QueuePairEvent about -> about.queuePair();
            case AsyncEvent.CompletionQueueError about -> about.completionQueue();
            case AsyncEvent.SharedReceiveQueueEvent about -> about.sharedReceiveQueue();
            case AsyncEvent.PortEvent about -> null;
            case AsyncEvent.DeviceFatal about -> null;
        };
    }
}
