package io.verbena.async.memory;

import io.verbena.verbs.Access;
import io.verbena.verbs.AllocatedMemory;
import io.verbena.verbs.Context;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;

/**
 * Memory of the device, registered once for its owner alone, and which of its pages are taken. Guarded by the pool's
 * lock, but for what never changes.
 */
final class Slab {
    private final AllocatedMemory memory;
    private final MemoryRegion region;
    private final MemorySegment segment;
    private final int pages;
    private final BitSet taken;
    private int takenPages;
    /** No page before it is free. */
    private int firstFree;

    Slab(Context context, ProtectionDomain domain, long bytes) {
        memory = context.allocateMemory(bytes, SizeClasses.PAGE_BYTES);
        try {
            region = domain.register(memory.segment(), Access.LOCAL_WRITE);
        } catch (RuntimeException | Error e) {
            memory.close();
            throw e;
        }
        segment = memory.segment();
        pages = (int) (bytes / SizeClasses.PAGE_BYTES);
        taken = new BitSet(pages);
    }

    MemorySegment segment() {
        return segment;
    }

    int lkey() {
        return region.lkey();
    }

    long bytes() {
        return (long) pages * SizeClasses.PAGE_BYTES;
    }

    boolean isEmpty() {
        return takenPages == 0;
    }

    /** Takes pages that lie together; returns the first, or -1. */
    int take(int count) {
        if (pages - takenPages < count) {
            return -1;
        }
        int from = taken.nextClearBit(firstFree);
        firstFree = from;
        while (from + count <= pages) {
            int end = taken.nextSetBit(from);
            if (end < 0 || end - from >= count) {
                taken.set(from, from + count);
                takenPages += count;
                return from;
            }
            from = taken.nextClearBit(end);
        }
        return -1;
    }

    void give(int first, int count) {
        taken.clear(first, first + count);
        takenPages -= count;
        firstFree = Math.min(firstFree, first);
    }

    /** Deregisters and frees it; waits for accesses of the device. */
    void close() {
        region.close();
        memory.close();
    }
}
