package io.verbena.nic.ring;

/** What both ends of a lane read and seldom anybody writes. */
abstract class LaneShared {
    /** The lane is not among those that the poller looks at unasked. */
    static final int COLD = 1;
    /** The lane is on the ready list; only together with {@link #COLD}. */
    static final int READY = 1 << 1;
    /** The completion queue has a channel: test whether it is armed after every completion. */
    static final int EVENTS = 1 << 2;
    /** The lanes could together hold more than the completion queue: count every completion. */
    static final int COUNTED = 1 << 3;

    final CompletionCore core;
    final int qpNum;
    /** First byte of the ring; moves only while polls are kept away and nobody produces. */
    long entries;
    final long mask;
    volatile int attention;

    LaneShared(CompletionCore core, int qpNum, long entries, int depth) {
        this.core = core;
        this.qpNum = qpNum;
        this.entries = entries;
        mask = depth - 1L;
        attention = COLD | core.initialAttention();
    }
}
