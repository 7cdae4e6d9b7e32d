package io.verbena.async.memory;

/** Nanoseconds since this class was loaded: never negative, never going back, so plain comparison is right. */
public final class MonotonicClock {
    /** Later than every time. */
    public static final long NEVER = Long.MAX_VALUE;

    private static final long ORIGIN = System.nanoTime();

    private MonotonicClock() {}

    /**
     * The time now.
     *
     * @return nanoseconds, 0 or more, of this process alone
     */
    public static long nanos() {
        return System.nanoTime() - ORIGIN;
    }

    /**
     * The time when a duration is over.
     *
     * @param since when it began, by {@link #nanos}, perhaps before this clock did
     * @param nanos how long it is, 0 or more; {@link #NEVER} has no end
     * @return that time, or {@link #NEVER} when it is out of range
     */
    public static long end(long since, long nanos) {
        long end = since + nanos;
        return nanos == NEVER || end < since ? NEVER : end;
    }
}
