package io.verbena.bench;

/**
 * How long and how often the two ends of a reliable connection try, as in ibv_modify_qp(3). No effect on UC and UD.
 *
 * @param timeout local ACK timeout code, 0 to 31: 4.096 us * 2^code, 0 waits without end
 * @param retryCount tries for want of an answer, 0 to 7
 * @param rnrRetry tries for want of a receive, 0 to 7; 7 tries without end
 * @param minRnrTimer code of the wait that a receiver without a receive asks for, 0 to 31
 */
public record Retries(int timeout, int retryCount, int rnrRetry, int minRnrTimer) {
    /** 67 ms, 7 tries, tries without end for want of a receive, which waits 10 us. */
    public static final Retries DEFAULT = new Retries(14, 7, 7, 1);

    private static final double TIMEOUT_UNIT_NS = 4_096;
    /** IBA 9.7.6.1.3 lets a device wait up to four times as long as it is told. */
    private static final int LONGEST = 4;

    /** Checks the codes. */
    public Retries {
        OptionRange.TIMEOUT.check(timeout);
        OptionRange.RETRY_COUNT.check(retryCount);
        OptionRange.RNR_RETRY.check(rnrRetry);
        new OptionRange("the RNR timer", 0, 31, "as in ibv_modify_qp(3)").check(minRnrTimer);
    }

    /**
     * How long a request may go without an answer before it fails, in nanoseconds.
     *
     * @return an upper limit; 0 when it may wait without end
     */
    long longestSilence() {
        return timeout == 0 ? 0 : (long) (LONGEST * (retryCount + 1) * TIMEOUT_UNIT_NS * (1L << timeout));
    }
}
