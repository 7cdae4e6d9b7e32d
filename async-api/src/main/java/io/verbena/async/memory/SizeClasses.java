package io.verbena.async.memory;

/**
 * The sizes that small blocks come in: four to each doubling from 64 bytes to 32 KiB, so at most a fifth of a block of
 * more than 64 bytes is wasted. Each class is cut from runs of pages chosen so that little is left over at their end.
 */
final class SizeClasses {
    static final int PAGE_BYTES = 4_096;
    static final int MIN_BYTES = 64;
    static final int MAX_BYTES = 32 * 1_024;
    static final int COUNT = 4 * (log2(MAX_BYTES) - log2(MIN_BYTES)) + 1;
    /** Blocks of one run, whose free ones are the bits of a long. */
    static final int MAX_BLOCKS = Long.SIZE;
    private static final int STEPS_SHIFT = 2;
    private static final int MAX_ALIGNMENT_LOG2 = 12;
    private static final int MAX_RUN_PAGES = 64;
    private static final int MIN_BLOCKS = 4;

    private static final int[] BYTES = new int[COUNT];
    private static final int[] RUN_PAGES = new int[COUNT];
    /** For a class and log2 of an alignment: the first class from it on whose blocks are all aligned so. */
    private static final byte[][] ALIGNED = new byte[MAX_ALIGNMENT_LOG2 + 1][COUNT];

    static {
        for (int i = 0; i < COUNT; i++) {
            int doubling = MIN_BYTES << (i >> STEPS_SHIFT);
            BYTES[i] = doubling + (doubling >> STEPS_SHIFT) * (i & (1 << STEPS_SHIFT) - 1);
            RUN_PAGES[i] = bestRun(BYTES[i]);
        }
        for (int log2 = 0; log2 <= MAX_ALIGNMENT_LOG2; log2++) {
            int next = COUNT;
            for (int i = COUNT - 1; i >= 0; i--) {
                next = (BYTES[i] & (1 << log2) - 1) == 0 ? i : next;
                ALIGNED[log2][i] = (byte) next;
            }
        }
    }

    private SizeClasses() {}

    /** The class of blocks for so many bytes, 1 to {@link #MAX_BYTES}, at a power of two up to a page. */
    static int classFor(long bytes, int alignment) {
        return ALIGNED[log2(alignment)][smallestFor((int) bytes)];
    }

    private static int smallestFor(int bytes) {
        if (bytes <= MIN_BYTES) {
            return 0;
        }
        int doubling = log2(bytes - 1);
        int step = bytes - 1 >> doubling - STEPS_SHIFT & (1 << STEPS_SHIFT) - 1;
        return (doubling - log2(MIN_BYTES) << STEPS_SHIFT) + step + 1;
    }

    static int bytes(int sizeClass) {
        return BYTES[sizeClass];
    }

    static int runPages(int sizeClass) {
        return RUN_PAGES[sizeClass];
    }

    static int blocksOfRun(int sizeClass) {
        return Math.min(MAX_BLOCKS, RUN_PAGES[sizeClass] * PAGE_BYTES / BYTES[sizeClass]);
    }

    /** The fewest pages that hold a few blocks and leave the smallest part unused. */
    private static int bestRun(int bytes) {
        int best = 0;
        long bestWaste = Long.MAX_VALUE;
        for (int pages = 1; pages <= MAX_RUN_PAGES; pages++) {
            long blocks = (long) pages * PAGE_BYTES / bytes;
            long waste = pages * (long) PAGE_BYTES - blocks * bytes;
            // Compared as parts of their runs.
            if (blocks >= MIN_BLOCKS && blocks <= MAX_BLOCKS
                    && (best == 0 || waste * best < bestWaste * pages)) {
                best = pages;
                bestWaste = waste;
            }
        }
        return best;
    }

    private static int log2(int value) {
        return Integer.SIZE - 1 - Integer.numberOfLeadingZeros(value);
    }
}
