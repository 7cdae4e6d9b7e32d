package io.verbena.nic;

import io.verbena.nic.os.Sleeper;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;

/** Threads that sleep until something happens, parked or in a {@link Sleeper}. Waking costs one load if none does. */
final class Waiters {
    private static final int SLOTS = 64;

    private final AtomicReferenceArray<Object> slots = new AtomicReferenceArray<>(SLOTS);
    private final AtomicInteger count = new AtomicInteger();

    /**
     * Announces the calling thread, which must then look once more before it sleeps.
     *
     * @param self the thread when it is going to park, else its sleeper
     * @return a place, -1 for none
     */
    int enter(Object self) {
        count.incrementAndGet();
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
            Object waiting = slots.get(i);
            if (waiting instanceof Thread parked) {
                LockSupport.unpark(parked);
            } else if (waiting instanceof Sleeper sleeper) {
                sleeper.wake();
            }
        }
    }
}
