package io.verbena.rc.packet;

/**
 * The Ethernet CRC-32 as arithmetic: a register, bits reflected, that bytes are fed to, and multiplication of
 * registers, by which feeding n zero bytes is one step, forward or backward.
 */
final class Crc {
    /** Register before the first byte. */
    static final int INITIAL = -1;

    private static final int POLYNOMIAL = 0xEDB8_8320;
    private static final int ONE = 0x8000_0000;
    /** Entry b: what byte b does to an empty register. */
    private static final int[] TABLE = new int[256];
    /** Entry i: the factor that feeding 4 * i zero bytes multiplies by. */
    private static final int[] FORWARD = new int[(PacketView.MAX_BYTES + 64) / 4];
    /** Entry i: the factor that takes 4 * i zero bytes back. */
    private static final int[] BACKWARD = new int[FORWARD.length];

    static {
        for (int b = 0; b < TABLE.length; b++) {
            int register = b;
            for (int bit = 0; bit < 8; bit++) {
                register = timesX(register);
            }
            TABLE[b] = register;
        }
        int forward = ONE;
        int backward = ONE;
        for (int i = 0; i < FORWARD.length; i++) {
            FORWARD[i] = forward;
            BACKWARD[i] = backward;
            for (int bit = 0; bit < 32; bit++) {
                forward = timesX(forward);
                backward = overX(backward);
            }
        }
    }

    private Crc() {}

    private static int timesX(int register) {
        return register >>> 1 ^ POLYNOMIAL & -(register & 1);
    }

    private static int overX(int register) {
        return register < 0 ? (register ^ POLYNOMIAL) << 1 | 1 : register << 1;
    }

    /** Feeds one byte. */
    static int update(int register, int value) {
        return register >>> 8 ^ TABLE[(register ^ value) & 0xFF];
    }

    /** Whether {@link #zeros} and {@link #back} know a number of bytes. */
    static boolean knows(int bytes) {
        return (bytes & 3) == 0 && bytes >= 0 && bytes >>> 2 < FORWARD.length;
    }

    /** What a register becomes when zero bytes are fed: a multiple of four, known. */
    static int zeros(int register, int bytes) {
        return multiply(register, FORWARD[bytes >>> 2]);
    }

    /** What a register was before zero bytes were fed: a multiple of four, known. */
    static int back(int register, int bytes) {
        return multiply(register, BACKWARD[bytes >>> 2]);
    }

    private static int multiply(int a, int b) {
        int product = 0;
        int left = a;
        int right = b;
        for (int bit = 0; bit < 32; bit++) {
            product ^= right & left >> 31;
            left <<= 1;
            right = timesX(right);
        }
        return product;
    }
}
