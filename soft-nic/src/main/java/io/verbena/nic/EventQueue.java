package io.verbena.nic;

import io.verbena.verbs.AsyncEvent;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;

/** The asynchronous events of one context: waiting to be taken, and taken but not acknowledged. */
final class EventQueue {
    private final ConcurrentLinkedQueue<AsyncEvent> waitingEvents = new ConcurrentLinkedQueue<>();
    private final Map<Long, AsyncEvent> unacknowledged = new ConcurrentHashMap<>();
    private final AtomicLong sequence = new AtomicLong();
    private final Waiters waiters = new Waiters();

    /** Adds an event; by any thread, never blocks. */
    void raise(LongFunction<AsyncEvent> event) {
        waitingEvents.add(event.apply(sequence.incrementAndGet()));
        waiters.wakeAll();
    }

    /** Takes the oldest event, or null. */
    AsyncEvent take() {
        AsyncEvent event = waitingEvents.poll();
        if (event != null) {
            unacknowledged.put(event.sequence(), event);
        }
        return event;
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
        waitingEvents.removeIf(event -> subjectOf(event) == subject);
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
