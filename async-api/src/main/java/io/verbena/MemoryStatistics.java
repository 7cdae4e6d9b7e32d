package io.verbena;

/**
 * What a memory pool counts, put together while other threads go on. Memory that the user registered is not in it.
 *
 * @param maxBytes the bound
 * @param totalBytes size of all slabs
 * @param slabs how many
 * @param usedBlocks allocations in use
 * @param usedBytes their sizes, rounded up to the sizes of blocks
 * @param allocations since the pool was made
 * @param failures allocations that the bound refused
 */
public record MemoryStatistics(long maxBytes, long totalBytes, int slabs, long usedBlocks, long usedBytes,
        long allocations, long failures) {}
