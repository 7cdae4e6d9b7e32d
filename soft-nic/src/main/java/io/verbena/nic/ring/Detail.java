package io.verbena.nic.ring;

/** What a completion entry says, packed into one long: length 0-31, opcode 32-39, status 40-47, flags 48-55. */
public final class Detail {
    /** The completion was counted against the capacity of its completion queue. */
    static final int COUNTED = 1 << 7;

    private Detail() {}

    /**
     * Packs a detail.
     *
     * @param length bytes, 0 to 2^31
     * @param opcode code of a WcOpcode
     * @param status code of a WcStatus
     * @param flags bits of WcFlags
     * @return the packed value
     */
    public static long of(long length, int opcode, int status, int flags) {
        return length | (long) opcode << 32 | (long) status << 40 | (long) flags << 48;
    }

    static long length(long detail) {
        return detail & 0xFFFF_FFFFL;
    }

    /** Code of the WcOpcode of a detail. */
    public static int opcode(long detail) {
        return (int) (detail >>> 32) & 0xFF;
    }

    static int status(long detail) {
        return (int) (detail >>> 40) & 0xFF;
    }

    static int flags(long detail) {
        return (int) (detail >>> 48) & 0xFF;
    }

    static long counted(long detail) {
        return detail | (long) COUNTED << 48;
    }

    static boolean isCounted(long detail) {
        return (detail & (long) COUNTED << 48) != 0;
    }
}
