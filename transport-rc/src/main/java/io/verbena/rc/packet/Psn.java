package io.verbena.rc.packet;

/**
 * Packet sequence numbers: 24 bits, counted modulo 2^24 (IBA 9.7.1). Inside the engine they are kept as positions,
 * longs that never wrap, so that order is plain comparison; on the wire only the low 24 bits travel.
 */
public final class Psn {
    /** The bits of a packet sequence number. */
    public static final int MASK = 0xFF_FFFF;

    private static final int SIGN_SHIFT = 8;

    private Psn() {}

    /**
     * How far one number is ahead of another.
     *
     * @param a any number; bits above 24 are ignored
     * @param b any number
     * @return -2^23 to 2^23-1; negative when a lies behind b
     */
    public static int diff(int a, int b) {
        return a - b << SIGN_SHIFT >> SIGN_SHIFT;
    }

    /**
     * A number some steps on.
     *
     * @param psn any number
     * @param steps may be negative
     * @return 0 to 2^24-1
     */
    public static int add(int psn, int steps) {
        return psn + steps & MASK;
    }

    /**
     * What of a position travels.
     *
     * @param position of the engine
     * @return 0 to 2^24-1
     */
    public static int wire(long position) {
        return (int) position & MASK;
    }

    /**
     * The position nearest to another one that a number stands for.
     *
     * @param near a position
     * @param psn a number from the wire
     * @return near - 2^23 to near + 2^23 - 1
     */
    public static long position(long near, int psn) {
        return near + diff(psn, (int) near);
    }

    /**
     * How many packets a message takes.
     *
     * @param length bytes, 0 to 2^31
     * @param mtu path MTU in bytes
     * @return 1 or more
     */
    public static int packets(long length, int mtu) {
        return (int) Math.max(1, (length + mtu - 1) / mtu);
    }
}
