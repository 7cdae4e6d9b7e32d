package io.verbena.nic.memory;

import java.lang.foreign.MemorySegment;

/** The segments behind region numbers. */
public interface Regions {
    /**
     * Finds a segment; by any thread.
     *
     * @param number of a region that a key opens
     * @return the segment
     */
    MemorySegment segment(int number);
}
