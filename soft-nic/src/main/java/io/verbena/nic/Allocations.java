package io.verbena.nic;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.TreeMap;

/** The memory a NIC has allocated for applications, by address; with the control lock held. */
final class Allocations {
    private final TreeMap<Long, SoftAllocatedMemory> byAddress = new TreeMap<>();

    void add(SoftAllocatedMemory memory) {
        byAddress.put(memory.segment().address(), memory);
    }

    void remove(SoftAllocatedMemory memory) {
        byAddress.remove(memory.segment().address());
    }

    /** The allocation that a segment is a part of, or null. */
    SoftAllocatedMemory find(MemorySegment segment) {
        Map.Entry<Long, SoftAllocatedMemory> below = byAddress.floorEntry(segment.address());
        return below != null && below.getValue().contains(segment) ? below.getValue() : null;
    }
}
