package io.verbena.rc;

import java.lang.foreign.MemorySegment;

/** The segments behind the region numbers of a memory table, for memory that is reached by checked access only. */
@FunctionalInterface
public interface SegmentSource {
    /**
     * Finds a segment.
     *
     * @param region number of {@link io.verbena.rc.memory.MemorySlot#region}
     * @return the segment
     */
    MemorySegment segment(int region);

    /**
     * Writes a part of a region back to the storage that it is mapped from; takes as long as the storage.
     *
     * @param region number of {@link io.verbena.rc.memory.MemorySlot#region}
     * @param offset first byte in the segment
     * @param length bytes
     * @return false when it was not done, as here
     */
    default boolean persist(int region, long offset, long length) {
        return false;
    }
}
