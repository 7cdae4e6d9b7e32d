package io.verbena.rc.packet;

/**
 * The syndrome byte of an acknowledge header (IBA 9.7.5.2.1, tables 44 to 47): kind in bits 5 and 6, below it the
 * credits, the timer or the reason.
 */
public final class Syndrome {
    /** Kind: acknowledged; the low bits are the credits. */
    public static final int ACK = 0x00;
    /** Kind: no receive posted; the low bits are the timer code. */
    public static final int RNR = 0x20;
    /** Kind: refused; the low bits are the reason. */
    public static final int NAK = 0x60;
    /** A packet is missing before this one. */
    public static final int NAK_SEQUENCE = NAK;
    /** The request is not allowed or malformed. */
    public static final int NAK_INVALID_REQUEST = NAK | 1;
    /** The key, range or right is wrong. */
    public static final int NAK_REMOTE_ACCESS = NAK | 2;
    /** The responder failed. */
    public static final int NAK_REMOTE_OPERATION = NAK | 3;
    /** Credits that mean no limit. */
    public static final int UNLIMITED = 31;

    private static final int KIND_MASK = 0x60;
    private static final int VALUE_MASK = 0x1F;
    /** Receives behind the credit codes 0 to 30. */
    private static final int[] CREDITS = {
        0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096,
        6144, 8192, 12_288, 16_384, 24_576, 32_768
    };

    private Syndrome() {}

    /**
     * The kind of a syndrome.
     *
     * @param syndrome 0 to 255
     * @return {@link #ACK}, {@link #RNR}, {@link #NAK}, or the reserved 0x40
     */
    public static int kind(int syndrome) {
        return syndrome & KIND_MASK;
    }

    /**
     * What the low bits say.
     *
     * @param syndrome 0 to 255
     * @return 0 to 31: credit code, timer code or reason
     */
    public static int value(int syndrome) {
        return syndrome & VALUE_MASK;
    }

    /**
     * The credit code for a number of receives.
     *
     * @param receives posted, 0 or more
     * @return the largest code whose receives are not more, 0 to 30
     */
    public static int creditCode(long receives) {
        int code = 0;
        while (code + 1 < CREDITS.length && CREDITS[code + 1] <= receives) {
            code++;
        }
        return code;
    }

    /**
     * The receives behind a credit code.
     *
     * @param code 0 to 31
     * @return receives, or -1 for no limit
     */
    public static int receives(int code) {
        return code < CREDITS.length ? CREDITS[code] : -1;
    }
}
