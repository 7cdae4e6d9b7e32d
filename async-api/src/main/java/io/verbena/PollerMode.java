package io.verbena;

import io.verbena.async.op.PollMode;

/** How a node waits for completions. */
public enum PollerMode {
    /** A thread that never sleeps: it needs a core of its own. */
    BUSY_SPIN(PollMode.BUSY_SPIN),
    /** A thread that spins for a while, then yields, then sleeps until an event. */
    ADAPTIVE(PollMode.ADAPTIVE),
    /** A thread that sleeps as soon as there is nothing to do. */
    EVENT(PollMode.EVENT),
    /**
     * No thread: whoever waits for a future drives, and whoever calls {@link RdmaNode#poll}. Without either nothing
     * completes and no deadline is noticed.
     */
    MANUAL(PollMode.MANUAL);

    private final PollMode mode;

    PollerMode(PollMode mode) {
        this.mode = mode;
    }

    PollMode mode() {
        return mode;
    }
}
