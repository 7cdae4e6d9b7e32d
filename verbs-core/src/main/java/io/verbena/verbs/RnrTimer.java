package io.verbena.verbs;

/** The waits behind the 5-bit receiver-not-ready timer codes (IBA table 45), and the local ACK timeout. */
public final class RnrTimer {
    private static final int[] MICROS = {
        655_360, 10, 20, 30, 40, 60, 80, 120, 160, 240, 320, 480, 640, 960, 1_280, 1_920, 2_560, 3_840, 5_120, 7_680,
        10_240, 15_360, 20_480, 30_720, 40_960, 61_440, 81_920, 122_880, 163_840, 245_760, 327_680, 491_520
    };
    private static final long ACK_TIMEOUT_UNIT_NS = 4_096;
    private static final int MAX_TIMEOUT = 31;

    private RnrTimer() {}

    /**
     * The wait behind a receiver-not-ready code.
     *
     * @param code 0 to 31; 0 is the longest
     * @return nanoseconds
     * @throws VerbsException EINVAL for another code
     */
    public static long nanos(int code) {
        if (code < 0 || code >= MICROS.length) {
            throw VerbsException.invalid("code", code, "0 to 31");
        }
        return MICROS[code] * 1_000L;
    }

    /**
     * The wait behind a local ACK timeout.
     *
     * @param timeout 1 to 31
     * @return nanoseconds: 4.096 us * 2^timeout
     * @throws VerbsException EINVAL for another value
     */
    public static long ackTimeoutNanos(int timeout) {
        if (timeout < 1 || timeout > MAX_TIMEOUT) {
            throw VerbsException.invalid("timeout", timeout, "1 to 31; 0 means never");
        }
        return ACK_TIMEOUT_UNIT_NS << timeout;
    }
}
