package io.verbena.rc;

/**
 * How long an answer takes at least, and since when one to the last try is awaited. Packets do not say which try they
 * answer, so nobody can time a try that was repeated; but an answer about a position is never older than the first try
 * of it. The shortest time from a first try to its answer is therefore never too short, and what comes sooner after a
 * later try answers an earlier one.
 */
final class RoundTrip {
    private long shortest = Long.MAX_VALUE;
    private long oldestSent;
    private long timedPosition;
    private long timedSince;
    private boolean timing;

    /** A position is sent for the first time. */
    void firstSent(long position, long now) {
        if (!timing) {
            timing = true;
            timedPosition = position;
            timedSince = now;
        }
    }

    /** The oldest position without an answer is sent, for whichever time. */
    void oldestSent(long now) {
        oldestSent = now;
    }

    /** Something was said about a position that had no answer. */
    void answer(long position, long now) {
        if (timing && position >= timedPosition) {
            timing = false;
            shortest = Math.min(shortest, now - timedSince);
        }
    }

    /** How long until an answer to the last try of the oldest position may come; not above 0 when it may be there. */
    long untilAnswer(long now) {
        return shortest == Long.MAX_VALUE ? 0 : shortest - (now - oldestSent);
    }

    /** How long until that answer has had twice the shortest time, since few come in the shortest. */
    long untilOverdue(long now) {
        return shortest == Long.MAX_VALUE ? 0 : 2 * shortest - (now - oldestSent);
    }
}
