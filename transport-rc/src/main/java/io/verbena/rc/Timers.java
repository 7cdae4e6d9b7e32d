package io.verbena.rc;

/**
 * The deadlines of a connection as data. Times are nanoseconds of a clock that only goes forward and may wrap; they are
 * compared by subtraction.
 */
final class Timers {
    /** An answer is overdue. */
    static final int RETRANSMIT = 0;
    /** The peer had no receive; it may have one now. */
    static final int RNR = 1;
    /** An acknowledgement has waited long enough. */
    static final int ACK = 2;

    private final long[] deadlines = new long[3];
    private int armed;

    void arm(int timer, long deadline) {
        deadlines[timer] = deadline;
        armed |= 1 << timer;
    }

    void disarm(int timer) {
        armed &= ~(1 << timer);
    }

    void disarmAll() {
        armed = 0;
    }

    boolean isArmed(int timer) {
        return (armed & 1 << timer) != 0;
    }

    /** Whether a timer has run out; then it is no longer armed. */
    boolean expire(int timer, long now) {
        if (!isArmed(timer) || now - deadlines[timer] < 0) {
            return false;
        }
        disarm(timer);
        return true;
    }

    boolean hasDeadline() {
        return armed != 0;
    }

    /** The earliest deadline; only while there is one. */
    long next() {
        long earliest = deadlines[Integer.numberOfTrailingZeros(armed)];
        for (int timer = RNR; timer <= ACK; timer++) {
            if (isArmed(timer) && deadlines[timer] - earliest < 0) {
                earliest = deadlines[timer];
            }
        }
        return earliest;
    }
}
