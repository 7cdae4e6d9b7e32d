package io.verbena.nic;

import io.verbena.nic.memory.BlockPool;
import io.verbena.nic.memory.RegionTable;
import io.verbena.rc.memory.MemoryTable;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.util.ArrayDeque;

/**
 * What a NIC keeps off-heap: its block pool, and the memory table with its regions. When the NIC is closed, the next
 * one opened in this JVM takes it over, so that opening and closing leaves memory flat without any collection.
 * It is never unmapped under a thread that calls a closed object late. With the control lock held.
 */
final class NicMemory {
    private static final int KEYS = 2 * NicLimits.MAX_MR + NicLimits.MAX_MW;
    private static final ArrayDeque<NicMemory> SPARE = new ArrayDeque<>();

    final BlockPool pool = new BlockPool();
    final RegionTable regions = new RegionTable();
    final MemoryTable table;
    /** What the table lies in; held here, since the table knows its address only. */
    private final MemorySegment storage;

    private NicMemory() {
        storage = pool.take(MemoryTable.bytesFor(KEYS));
        table = new MemoryTable(storage.address(), KEYS, new SecureRandom()::nextInt);
    }

    /** That of a NIC closed before, or new. */
    static NicMemory take() {
        NicMemory spare = SPARE.poll();
        return spare != null ? spare : new NicMemory();
    }

    /** Leaves it to the next NIC; when everything in it was given back and every key revoked. */
    void give() {
        SPARE.push(this);
    }
}
