package io.verbena.bench;

/**
 * One thread's part of a test. Subclasses hold the timed loops; they run in batches, so that the compiler sees an
 * ordinary hot method rather than one endless loop, and allocate nothing.
 */
public abstract class Side {
    /** Makes a side, on the thread that will run it: what two sides change then lies apart, on no common cache line. */
    @FunctionalInterface
    interface Maker {
        /** A new side. */
        Side make();
    }

    /** Iterations of one call of a hot method. */
    protected static final int BATCH = 128;
    /** Operations that some tests time together, a divisor of it. */
    protected static final int GROUP = 32;
    /** Empty polls, about 2.5 us, before a spinning thread offers its processor to others. */
    protected static final int PATIENCE = 400;
    /** As many looks at a word in memory as take the same time, each with Thread.onSpinWait. */
    protected static final int HINTED_LOOKS = 100;
    /** As many looks at a word in memory as take the same time. */
    protected static final int LOOKS = 5_000;

    private final StopFlag stop;

    /**
     * Makes a part of a test.
     *
     * @param stop ends the waits when the other part fails
     */
    protected Side(StopFlag stop) {
        this.stop = stop;
    }

    /**
     * The flag that ends waits.
     *
     * @return never null
     */
    protected final StopFlag stop() {
        return stop;
    }

    /**
     * Does a number of iterations, with everything finished on return. Both parts of a test are asked for the same
     * number at the same time.
     *
     * @param count 1 or more
     */
    public abstract void run(long count);

    /**
     * To be called after many empty looks: ends the wait or gives way to other threads.
     *
     * @return 0, the new number of empty looks
     */
    protected final int giveWay() {
        stop.check();
        Thread.yield();
        return 0;
    }
}
