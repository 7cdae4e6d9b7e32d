package io.verbena.bench;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Holds the sender of an unreliable service back, so that it sends no more than receives are posted: the receiving side
 * counts what it took, the sending side looks. One counter for each queue pair, or one for all that share receives.
 */
final class Credits {
    private static final int SPREAD = 16;

    private final AtomicLongArray taken;
    private final boolean shared;
    private final long window;

    /**
     * Makes counters at 0.
     *
     * @param qps queue pairs
     * @param shared whether they draw from one queue
     * @param window receives posted for one counter
     */
    Credits(int qps, boolean shared, long window) {
        this.shared = shared;
        this.window = window;
        taken = new AtomicLongArray((qps + 1) * SPREAD);
    }

    /** Counts a message taken and its receive posted again; by the receiving side. */
    void took(int index) {
        int slot = slot(index);
        taken.setRelease(slot, taken.getPlain(slot) + 1);
    }

    /** Messages taken so far on what a queue pair draws from. */
    long taken(int index) {
        return taken.getAcquire(slot(index));
    }

    long window() {
        return window;
    }

    boolean isShared() {
        return shared;
    }

    private int slot(int index) {
        return (shared ? 1 : index + 1) * SPREAD;
    }
}
