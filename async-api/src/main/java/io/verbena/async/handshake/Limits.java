package io.verbena.async.handshake;

/**
 * What one end can do, as it says in its hello.
 *
 * @param mtuBytes the largest path MTU: 256, 512, 1024, 2048 or 4096
 * @param rdAtomic how many READs and atomics it keeps under way, and answers at a time: 0 to 255
 * @param receiveSlots how many messages it has room for: 0 to 1 Mi
 * @param slotBytes how long a message may be that fits into one of them, its header included: 0 to 1 Gi
 * @param maxMessageBytes the longest message it takes: 0 to 2^40
 * @param keepaliveMillis how often it looks whether the other end is still there, 0 for never; up to a day
 */
public record Limits(
        int mtuBytes, int rdAtomic, int receiveSlots, int slotBytes, long maxMessageBytes, long keepaliveMillis) {
    /** A day. */
    public static final long MAX_KEEPALIVE_MILLIS = 24L * 3600 * 1000;

    private static final int SMALLEST_MTU = 256;
    private static final int LARGEST_MTU = 4096;

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException for a value out of its range; says which one
     */
    public Limits {
        if (Integer.bitCount(mtuBytes) != 1 || mtuBytes < SMALLEST_MTU || mtuBytes > LARGEST_MTU) {
            throw new IllegalArgumentException("mtuBytes is " + mtuBytes + "; allowed: 256, 512, 1024, 2048, 4096");
        }
        check("rdAtomic", rdAtomic, 255);
        check("receiveSlots", receiveSlots, 1 << 20);
        check("slotBytes", slotBytes, 1 << 30);
        check("maxMessageBytes", maxMessageBytes, 1L << 40);
        check("keepaliveMillis", keepaliveMillis, MAX_KEEPALIVE_MILLIS);
    }

    private static void check(String name, long value, long max) {
        if (value < 0 || value > max) {
            throw new IllegalArgumentException(name + " is " + value + "; allowed: 0 to " + max);
        }
    }
}
