package io.verbena.async.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** What sizes blocks come in. */
class SizeClassesTest {
    @Test
    void everyLengthGetsTheSmallestClassThatHoldsIt() {
        for (int bytes = 1; bytes <= SizeClasses.MAX_BYTES; bytes++) {
            int sizeClass = SizeClasses.classFor(bytes, 1);
            assertTrue(SizeClasses.bytes(sizeClass) >= bytes, bytes + " bytes");
            assertTrue(sizeClass == 0 || SizeClasses.bytes(sizeClass - 1) < bytes, bytes + " bytes");
        }
        assertEquals(SizeClasses.COUNT - 1, SizeClasses.classFor(SizeClasses.MAX_BYTES, 1));
    }

    @Test
    void atMostAFifthIsWasted() {
        for (int bytes = SizeClasses.MIN_BYTES; bytes <= SizeClasses.MAX_BYTES; bytes++) {
            int block = SizeClasses.bytes(SizeClasses.classFor(bytes, 1));
            assertTrue((block - bytes) * 5 < block, bytes + " bytes in a block of " + block);
        }
    }

    @Test
    void blocksOfAnAlignedClassAreAllAligned() {
        for (int alignment = 1; alignment <= SizeClasses.PAGE_BYTES; alignment *= 2) {
            for (int bytes = 1; bytes <= SizeClasses.MAX_BYTES; bytes += 7) {
                int block = SizeClasses.bytes(SizeClasses.classFor(bytes, alignment));
                assertTrue(block >= bytes && block % alignment == 0, bytes + " at " + alignment + ": " + block);
            }
        }
    }

    @Test
    void runsHoldSeveralBlocksAndLeaveLittle() {
        for (int sizeClass = 0; sizeClass < SizeClasses.COUNT; sizeClass++) {
            int run = SizeClasses.runPages(sizeClass) * SizeClasses.PAGE_BYTES;
            int used = SizeClasses.blocksOfRun(sizeClass) * SizeClasses.bytes(sizeClass);
            assertTrue(SizeClasses.blocksOfRun(sizeClass) >= 4, "class " + sizeClass);
            assertTrue(used <= run && (run - used) * 20 < run, "class " + sizeClass + ": " + used + " of " + run);
        }
    }
}
