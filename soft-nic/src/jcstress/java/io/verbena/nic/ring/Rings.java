package io.verbena.nic.ring;

import io.verbena.nic.memory.BlockPool;
import io.verbena.nic.memory.Blocks;
import io.verbena.nic.memory.Generation;
import io.verbena.nic.memory.KeyCache;
import io.verbena.nic.memory.OffHeap;
import io.verbena.nic.memory.RegionTable;
import io.verbena.rc.memory.MemoryEntry;
import io.verbena.rc.memory.MemoryTable;
import io.verbena.verbs.Access;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Small rings for states that are made by the thousand. Their memory is taken round robin from one slab, much larger
 * than all states that live at the same time; one key opens the slab.
 */
final class Rings {
    /** The most completions of any ring here. */
    static final int DEPTH = 4;
    /** The key of all memory that {@link #block} returns. */
    static final int KEY;
    /** Receives of one buffer each. */
    static final ReceiveQueue.Shape RECEIVE_SHAPE = new ReceiveQueue.Shape(DEPTH, DEPTH, 1);

    private static final int DOMAIN = 1;
    private static final int BLOCK_BYTES = 1024;
    private static final int BLOCKS = 1 << 16;
    private static final MemorySegment SLAB =
            Arena.global().allocate((long) BLOCKS * BLOCK_BYTES, BlockPool.ALIGNMENT);
    private static final AtomicInteger NEXT = new AtomicInteger();
    private static final MemoryTable TABLE;
    private static final RegionTable REGIONS = new RegionTable();
    private static final Generation GENERATION = new Generation();

    static {
        MemorySegment storage = Arena.global().allocate(MemoryTable.bytesFor(2), BlockPool.ALIGNMENT);
        TABLE = new MemoryTable(storage.address(), 2, new AtomicInteger(100)::incrementAndGet);
        KEY = TABLE.insert(new MemoryEntry(DOMAIN, Access.LOCAL_WRITE, SLAB.address(), SLAB.byteSize(),
                SLAB.address(), REGIONS.add(SLAB)), MemoryTable.LOCAL);
    }

    private Rings() {}

    /** Zeroed memory. */
    static MemorySegment block(long bytes) {
        long at = (NEXT.getAndIncrement() & BLOCKS - 1L) * BLOCK_BYTES;
        MemorySegment block = SLAB.asSlice(at, bytes);
        OffHeap.zero(block.address(), bytes);
        return block;
    }

    /** Memory of shared queues and lanes. */
    static Blocks blocks() {
        return new Blocks(Rings::block, block -> { });
    }

    /** A completion queue without events. */
    static CompletionCore core(int capacity) {
        return new CompletionCore(capacity, false, false, new Events());
    }

    /** A lane of a completion queue. */
    static SendLane sendLane(CompletionCore core) {
        SendLane lane = new SendLane(core, 1, block(SendLane.bytes(DEPTH)).address(), DEPTH);
        core.add(lane, DEPTH);
        return lane;
    }

    /** A receive queue of one buffer a receive. */
    static ReceiveQueue receiveQueue(boolean singleThreaded) {
        return receiveQueue(block(RECEIVE_SHAPE.bytes()), singleThreaded);
    }

    /** A receive queue in memory given. */
    static ReceiveQueue receiveQueue(MemorySegment block, boolean singleThreaded) {
        return new ReceiveQueue(block, RECEIVE_SHAPE, TABLE, DOMAIN, singleThreaded);
    }

    /** The lane of a receive queue, joined with it. */
    static ReceiveLane receiveLane(CompletionCore core, ReceiveQueue queue) {
        KeyCache keys = new KeyCache(TABLE, REGIONS, MemoryTable.LOCAL, DOMAIN);
        ReceiveLane lane = new ReceiveLane(core, 1, queue, keys, GENERATION, () -> { });
        queue.lane(lane);
        core.add(lane, DEPTH);
        return lane;
    }

    /** An empty queue of ids. */
    static IdQueue idQueue(int capacity) {
        return new IdQueue(block(IdQueue.bytes(capacity)), capacity);
    }

    /** Counts an id, unless there is none. */
    static void count(int[] seen, int id) {
        if (id >= 0) {
            seen[id]++;
        }
    }

    /** Takes and counts all ids of a queue. */
    static void countAll(int[] seen, IdQueue queue) {
        for (int id = queue.poll(); id >= 0; id = queue.poll()) {
            seen[id]++;
        }
    }

    /** The lane of a shared queue in a completion queue. */
    static SharedLane sharedLane(CompletionCore core, SharedQueue queue) {
        SharedLane lane = new SharedLane(core, queue, blocks());
        core.add(lane, queue.places());
        return lane;
    }

    /** Counts what a completion queue reports. */
    static final class Events implements CompletionListener {
        final AtomicInteger completions = new AtomicInteger();
        final AtomicInteger overflows = new AtomicInteger();

        @Override
        public void completionEvent() {
            completions.incrementAndGet();
        }

        @Override
        public void overflowed() {
            overflows.incrementAndGet();
        }
    }
}
