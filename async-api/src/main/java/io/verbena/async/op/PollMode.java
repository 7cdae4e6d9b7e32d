package io.verbena.async.op;

/** How the thread of a poller waits. */
public enum PollMode {
    /** It never sleeps: a core of its own. */
    BUSY_SPIN,
    /** It spins for a while, then yields, then sleeps until an event. */
    ADAPTIVE,
    /** It sleeps as soon as there is nothing to do. */
    EVENT,
    /** There is no thread: whoever waits drives, and whoever calls poll. */
    MANUAL
}
