package io.verbena.nic.memory;

import io.verbena.nic.os.Pages;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * Zeroed blocks of off-heap memory for rings and tables. Freed blocks are kept for the next object of the same size,
 * so that creating and destroying queue pairs leaves memory flat; the pages of large ones go back to the system until
 * then, so that blocks of many sizes do not add up. The caller serialises all calls.
 */
public final class BlockPool {
    /** Blocks start at a multiple of this: two cache lines, since processors fetch lines in pairs. */
    public static final long ALIGNMENT = 128;

    private static final long ROUNDING = 512;
    private static final long SLAB_BYTES = 1 << 20;
    private static final long MOST_IN_SLAB = SLAB_BYTES / 4;

    private final Source source;
    private final Map<Long, ArrayDeque<MemorySegment>> free = new HashMap<>();
    private MemorySegment slab = MemorySegment.NULL;
    private long slabUsed;
    private long bytesInUse;

    /** Where the pool gets memory from. */
    public interface Source {
        /**
         * Takes memory for good.
         *
         * @param bytes how much
         * @return zeroed memory, aligned to {@link #ALIGNMENT}, that stays mapped while it can be reached
         * @throws OutOfMemoryError when there is none left
         */
        MemorySegment take(long bytes);
    }

    /** Makes a pool of memory of this process alone. */
    public BlockPool() {
        // Automatic: a block stays mapped while anything can still reach it, even after everything was closed.
        Arena arena = Arena.ofAuto();
        source = bytes -> arena.allocate(bytes, ALIGNMENT);
    }

    /**
     * Makes a pool of other memory.
     *
     * @param source where it comes from
     */
    public BlockPool(Source source) {
        this.source = source;
    }

    /**
     * Takes a block.
     *
     * @param bytes its least size
     * @return zeroed memory, aligned to {@link #ALIGNMENT}
     */
    public MemorySegment take(long bytes) {
        long size = roundUp(bytes);
        MemorySegment block = find(size);
        bytesInUse += size;
        return block;
    }

    private MemorySegment find(long size) {
        ArrayDeque<MemorySegment> reusable = free.get(size);
        if (reusable != null && !reusable.isEmpty()) {
            return reusable.pop().fill((byte) 0);
        }
        if (size > MOST_IN_SLAB) {
            return source.take(size);
        }
        if (slabUsed + size > slab.byteSize()) {
            slab = source.take(SLAB_BYTES);
            slabUsed = 0;
        }
        MemorySegment block = slab.asSlice(slabUsed, size);
        slabUsed += size;
        return block;
    }

    /**
     * Gives a block back; no thread may touch it any more.
     *
     * @param block what {@link #take} returned
     */
    public void give(MemorySegment block) {
        bytesInUse -= block.byteSize();
        if (block.byteSize() > MOST_IN_SLAB) {
            Pages.release(block);
        }
        free.computeIfAbsent(block.byteSize(), size -> new ArrayDeque<>()).push(block);
    }

    /**
     * Bytes taken and not given back.
     *
     * @return 0 or more
     */
    public long bytesInUse() {
        return bytesInUse;
    }

    /** Few sizes, at most a quarter too large, so that blocks fit objects that differ a little. */
    private static long roundUp(long bytes) {
        long step = Math.max(ROUNDING, Long.highestOneBit(bytes) / 4);
        return (bytes + step - 1) & -step;
    }
}
