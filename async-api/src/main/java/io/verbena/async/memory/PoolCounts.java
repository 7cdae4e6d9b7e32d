package io.verbena.async.memory;

/**
 * What a pool counts.
 *
 * @param totalBytes size of all slabs
 * @param slabs how many
 * @param usedBlocks blocks in use
 * @param usedBytes their sizes, rounded up as they are
 * @param allocations since the pool was made
 * @param failures allocations that the bound refused
 */
public record PoolCounts(long totalBytes, int slabs, long usedBlocks, long usedBytes, long allocations,
        long failures) {}
