package io.verbena;

import java.time.Duration;

/**
 * What happens to an operation that finds no place: as many are under way as the connection takes, or as the peer has
 * receives for. Immutable.
 */
public final class BackPressure {
    /** It is refused at once. */
    public static final BackPressure FAIL = new BackPressure(0, 0);

    private final int queued;
    private final long maxWaitNanos;

    private BackPressure(int queued, long maxWaitNanos) {
        this.queued = queued;
        this.maxWaitNanos = maxWaitNanos;
    }

    /**
     * It waits in line and is posted when there is place; refused when the line is full.
     *
     * @param operations length of the line, 1 to 65536
     * @return the policy
     */
    public static BackPressure queue(int operations) {
        Checks.range("operations", operations, 1, 65_536);
        return new BackPressure(operations, 0);
    }

    /**
     * Whoever starts it waits, and drives completions meanwhile unless somebody else does; refused when that takes too
     * long.
     *
     * @param maxWait more than 0
     * @return the policy
     */
    public static BackPressure block(Duration maxWait) {
        Checks.duration("maxWait", Checks.present("maxWait", maxWait));
        return new BackPressure(0, Checks.nanos(maxWait));
    }

    /** Length of the line, 0 for none. */
    int queued() {
        return queued;
    }

    /** How long whoever starts it waits, 0 for not at all. */
    long maxWaitNanos() {
        return maxWaitNanos;
    }

    @Override
    public String toString() {
        if (queued > 0) {
            return "QUEUE(" + queued + ")";
        }
        return maxWaitNanos > 0 ? "BLOCK(" + Duration.ofNanos(maxWaitNanos) + ")" : "FAIL";
    }
}
