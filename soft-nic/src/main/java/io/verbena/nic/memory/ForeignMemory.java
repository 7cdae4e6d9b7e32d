package io.verbena.nic.memory;

import java.lang.foreign.MemorySegment;

/** Where memory of another process is mapped here. */
public interface ForeignMemory {
    /**
     * Maps the region behind a key, if it is not mapped yet.
     *
     * @param key a key that the other process's table holds
     * @return all of the region; null when it can't be mapped
     */
    MemorySegment region(int key);
}
