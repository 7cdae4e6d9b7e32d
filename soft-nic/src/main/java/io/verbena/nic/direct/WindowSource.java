package io.verbena.nic.direct;

import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;

/** Finds what a bind names, when it is posted. */
public interface WindowSource {
    /**
     * Finds a window by its object.
     *
     * @param window what the poster gave, perhaps null
     * @return its slot in the memory table; 0 unless it is an open type 2 window of this device
     */
    long window(MemoryWindow window);

    /**
     * Finds a region by its object.
     *
     * @param region what the poster gave, perhaps null
     * @return its lkey; 0 unless it is a region of this device
     */
    int bindKey(MemoryRegion region);
}
