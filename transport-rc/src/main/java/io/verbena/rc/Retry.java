package io.verbena.rc;

/**
 * How often the oldest outstanding request has been tried without progress (IBA 9.7.5.1.3, 9.9.2.4.2). Seven tries for
 * want of a receive mean without end; seven tries without an answer mean seven.
 */
final class Retry {
    private static final int RNR_WITHOUT_END = 7;

    private int limit;
    private int rnrLimit;
    private int used;
    private int rnrUsed;
    private boolean goneBack;

    void limits(int retryCount, int rnrRetry) {
        limit = retryCount;
        rnrLimit = rnrRetry;
    }

    /** Something new was acknowledged. */
    void progress() {
        used = 0;
        rnrUsed = 0;
        goneBack = false;
    }

    /** The peer answered, though nothing new was acknowledged. */
    void answered() {
        used = 0;
        goneBack = false;
    }

    /** Counts a try without an answer; false when that was once too often. */
    boolean tryAgain() {
        return ++used <= limit;
    }

    /** Counts a try for want of a receive; false when that was once too often. */
    boolean tryAgainNotReady() {
        return rnrLimit == RNR_WITHOUT_END || ++rnrUsed <= rnrLimit;
    }

    /** Whether everything was sent again already since the last progress: further hints are of the same loss. */
    boolean hasGoneBack() {
        return goneBack;
    }

    void wentBack() {
        goneBack = true;
    }
}
