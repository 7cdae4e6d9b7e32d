package io.verbena.nic.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

/** Every length and alignment of a copy moves exactly the bytes asked for. */
class OffHeapTest {
    private static final int MAX_LENGTH = 300;
    private static final int MAX_WORDS = 128;
    private static final int CANARY_BYTES = 16;
    private static final int BYTES = MAX_LENGTH + 2 * CANARY_BYTES;
    private static final byte CANARY = 0x5A;

    /** A way to copy. */
    @FunctionalInterface
    private interface Copy {
        void copy(long source, long destination, long length);
    }

    @Test
    void copyMovesEveryLengthAtEveryAlignment() {
        check(MAX_LENGTH, OffHeap::copy);
    }

    @Test
    void copyWordsMovesEveryLengthAtEveryAlignment() {
        check(MAX_WORDS, OffHeap::copyWords);
    }

    private static void check(int maxLength, Copy copy) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment source = arena.allocate(BYTES, 64);
            MemorySegment target = arena.allocate(BYTES, 64);
            for (int i = 0; i < BYTES; i++) {
                source.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 7 + 1));
            }
            for (int length = 0; length <= maxLength; length++) {
                for (int from = 0; from < 8; from++) {
                    for (int to = 0; to < 8; to++) {
                        checkOne(source, target, new int[] {from, to, length}, copy);
                    }
                }
            }
        }
    }

    private static void checkOne(MemorySegment source, MemorySegment target, int[] shape, Copy copy) {
        long from = shape[0];
        long to = CANARY_BYTES + shape[1];
        long length = shape[2];
        target.fill(CANARY);
        copy.copy(source.address() + from, target.address() + to, length);
        String what = length + " bytes from " + from + " to " + shape[1] + " modulo 8";
        assertEquals(-1, MemorySegment.mismatch(source, from, from + length, target, to, to + length), what);
        assertUntouched(target.asSlice(0, to), what);
        assertUntouched(target.asSlice(to + length), what);
    }

    private static void assertUntouched(MemorySegment canaries, String what) {
        for (byte value : canaries.toArray(ValueLayout.JAVA_BYTE)) {
            assertEquals(CANARY, value, what);
        }
    }
}
