package io.verbena.async.memory;

/**
 * Pages that lie together in a slab, cut into blocks of one size; a large allocation is a run with one block. Which
 * blocks are free is guarded by the pool's lock.
 */
final class Run {
    /** The class of a run that is one large block. */
    static final int LARGE = -1;

    final Slab slab;
    final int sizeClass;
    final int firstPage;
    final int pages;
    final int blocks;
    private final long blockBytes;
    private final long start;
    private long freeBlocks;
    /** Neighbours in a {@link RunList}; null while in none. */
    Run next;
    Run previous;

    Run(Slab slab, int sizeClass, int firstPage, int pages) {
        this.slab = slab;
        this.sizeClass = sizeClass;
        this.firstPage = firstPage;
        this.pages = pages;
        start = (long) firstPage * SizeClasses.PAGE_BYTES;
        blocks = sizeClass == LARGE ? 1 : SizeClasses.blocksOfRun(sizeClass);
        blockBytes = sizeClass == LARGE ? (long) pages * SizeClasses.PAGE_BYTES : SizeClasses.bytes(sizeClass);
        freeBlocks = allBlocks();
    }

    private long allBlocks() {
        return -1L >>> Long.SIZE - blocks;
    }

    long blockBytes() {
        return blockBytes;
    }

    /** Where a block starts in the slab. */
    long offset(int block) {
        return start + block * blockBytes;
    }

    boolean hasFree() {
        return freeBlocks != 0;
    }

    boolean isEmpty() {
        return freeBlocks == allBlocks();
    }

    /** Takes one of the free blocks, of which there is one. */
    int take() {
        int block = Long.numberOfTrailingZeros(freeBlocks);
        freeBlocks &= freeBlocks - 1;
        return block;
    }

    void give(int block) {
        assert (freeBlocks & 1L << block) == 0 : "block " + block + " was freed twice";
        freeBlocks |= 1L << block;
    }
}
