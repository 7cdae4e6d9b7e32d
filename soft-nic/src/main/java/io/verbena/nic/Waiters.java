package io.verbena.nic;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;

/** Threads asleep until something happens. Waking costs one load while nobody sleeps. */
final class Waiters {
    private static final int SLOTS = 64;

    private final AtomicReferenceArray<Thread> slots = new AtomicReferenceArray<>(SLOTS);
    private final AtomicInteger count = new AtomicInteger();

    /** Announces the calling thread; it must then look once more before it parks. Returns a place, -1 for none. */
    int enter() {
        count.incrementAndGet();
        Thread self = Thread.currentThread();
        for (int i = 0; i < SLOTS; i++) {
            if (slots.get(i) == null && slots.compareAndSet(i, null, self)) {
                return i;
            }
        }
        return -1;
    }

    /** Ends what {@link #enter} began. */
    void leave(int place) {
        if (place >= 0) {
            slots.set(place, null);
        }
        count.decrementAndGet();
    }

    /** Wakes everybody. */
    void wakeAll() {
        if (count.get() == 0) {
            return;
        }
        for (int i = 0; i < SLOTS; i++) {
            Thread sleeper = slots.get(i);
            if (sleeper != null) {
                LockSupport.unpark(sleeper);
            }
        }
    }
}
