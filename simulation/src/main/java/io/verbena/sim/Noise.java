package io.verbena.sim;

import java.lang.foreign.MemorySegment;
import java.util.Random;

/** The bytes that are sent: parts of one random block, a different part for each work request. */
final class Noise {
    private static final int BYTES = 1 << 16;
    private static final int MAX_START = BYTES / 2;
    private static final byte[] BLOCK = new byte[BYTES];
    private static final MemorySegment SEGMENT = MemorySegment.ofArray(BLOCK);

    static {
        new Random(42).nextBytes(BLOCK);
    }

    private Noise() {}

    private static int start(long of) {
        long mixed = of * 0x9E37_79B9_7F4A_7C15L;
        return (int) ((mixed ^ mixed >>> 29) >>> 20) & MAX_START - 1;
    }

    /** Puts the bytes that belong to a number. */
    static void put(long of, MemorySegment memory, int at, byte[] shadow, int length) {
        MemorySegment.copy(SEGMENT, start(of), memory, at, length);
        remember(of, at, shadow, length);
    }

    /** Notes that the bytes that belong to a number must be somewhere. */
    static void remember(long of, int at, byte[] shadow, int length) {
        System.arraycopy(BLOCK, start(of), shadow, at, length);
    }

    /** Whether memory holds the bytes that belong to a number. */
    static boolean isAt(long of, MemorySegment memory, int at, int length) {
        int start = start(of);
        return MemorySegment.mismatch(SEGMENT, start, start + (long) length, memory, at, at + (long) length) < 0;
    }
}
