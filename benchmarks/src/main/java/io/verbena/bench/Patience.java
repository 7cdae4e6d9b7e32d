package io.verbena.bench;

import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * How long a wait for the other side may last. Packets get lost, and UC and UD say nothing then; a receiver is told
 * nothing by any service. Without a limit a test would wait for ever.
 *
 * @param limitNs how long, in nanoseconds; 0 without end
 */
record Patience(long limitNs) {
    /** Waits without end: whoever fails is noticed otherwise. */
    static final Patience ENDLESS = new Patience(0);

    private static final long SILENCE_NS = TimeUnit.SECONDS.toNanos(10);

    /** The patience with what is connected by a path. */
    static Patience of(PathConfig path) {
        if (path.transport().link() != Link.UDP) {
            return ENDLESS;
        }
        return new Patience(SILENCE_NS + (path.transport().isLossy() ? 0 : path.retries().longestSilence()));
    }

    /**
     * To be called now and then while waiting.
     *
     * @param since what the last call of this wait returned; 0 at first
     * @param state says how far the test is, when it is given up
     * @return since when this wait lasts
     * @throws PerfException when it has lasted too long
     */
    long check(long since, Supplier<String> state) {
        if (limitNs == 0) {
            return since;
        }
        long now = System.nanoTime();
        if (since == 0) {
            return now == 0 ? 1 : now;
        }
        if (now - since > limitNs) {
            throw new PerfException("nothing has come from the other side for "
                    + TimeUnit.NANOSECONDS.toSeconds(limitNs) + " s" + state.get()
                    + "; is it stopped, are messages lost on the way, or are the options of both sides different?");
        }
        return since;
    }
}
