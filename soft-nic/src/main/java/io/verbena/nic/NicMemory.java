package io.verbena.nic;

import io.verbena.nic.memory.BlockPool;
import io.verbena.nic.memory.RegionTable;
import io.verbena.nic.shm.Board;
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

    final BlockPool pool;
    final RegionTable regions = new RegionTable();
    final MemoryTable table;
    /** What the table lies in; held here, since the table knows its address only. */
    private final MemorySegment storage;
    private final boolean reusable;

    private NicMemory(BlockPool pool, boolean reusable) {
        this.pool = pool;
        this.reusable = reusable;
        storage = pool.take(MemoryTable.bytesFor(KEYS));
        table = new MemoryTable(storage.address(), KEYS, new SecureRandom()::nextInt);
    }

    /** That of a NIC closed before, or new. */
    static NicMemory take() {
        NicMemory spare = SPARE.poll();
        return spare != null ? spare : new NicMemory(new BlockPool(), true);
    }

    /** New, where other processes may read it; never left to another NIC, since they keep it mapped. */
    static NicMemory on(Board board) {
        NicMemory memory = new NicMemory(new BlockPool(board::take), false);
        board.table(memory.storage.address(), KEYS);
        return memory;
    }

    /** Leaves it to the next NIC; when everything in it was given back and every key revoked. */
    void give() {
        if (reusable) {
            SPARE.push(this);
        }
    }
}
