package io.verbena.verbs.tck.peer;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Reproducible bytes: each seed names an endless pattern, and both sides can fill and check any range of memory. */
public final class Pattern {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final long STEP = 0x9E37_79B9_7F4A_7C15L;

    private Pattern() {}

    private static long word(long seed, long index) {
        long x = (seed + 1) * STEP + index * 0xD129_0B26_8A8C_6C61L;
        x = (x ^ x >>> 32) * 0xBF58_476D_1CE4_E5B9L;
        return x ^ x >>> 29;
    }

    private static byte tail(long seed, long position) {
        return (byte) (word(seed, position >>> 3) >>> (position & 7) * 8);
    }

    /**
     * Writes the first bytes of a pattern.
     *
     * @param target filled completely
     * @param seed which pattern
     */
    public static void fill(MemorySegment target, long seed) {
        long bytes = target.byteSize();
        long whole = bytes & ~7L;
        for (long at = 0; at < whole; at += 8) {
            target.set(WORD, at, word(seed, at >>> 3));
        }
        for (long at = whole; at < bytes; at++) {
            target.set(ValueLayout.JAVA_BYTE, at, tail(seed, at));
        }
    }

    /**
     * Compares with the first bytes of a pattern.
     *
     * @param actual compared completely
     * @param seed which pattern
     * @return offset of a byte near the first difference, at most 7 before it; -1 when all are equal
     */
    public static long mismatch(MemorySegment actual, long seed) {
        long bytes = actual.byteSize();
        long whole = bytes & ~7L;
        for (long at = 0; at < whole; at += 8) {
            if (actual.get(WORD, at) != word(seed, at >>> 3)) {
                return at;
            }
        }
        for (long at = whole; at < bytes; at++) {
            if (actual.get(ValueLayout.JAVA_BYTE, at) != tail(seed, at)) {
                return at;
            }
        }
        return -1;
    }
}
