package io.verbena.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The floor under a WRITE: a copy of variable length between two buffers outside the heap, one release store, one
 * acquire load. Memory is static and final, so that plain Java shows its best.
 */
final class CopyCostLoop {
    private static final int BATCH = 128;
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();
    private static final long ROOM = 1L << 20;
    private static final long STORED = 2 * ROOM;
    private static final long LOADED = STORED + 128;
    private static final MemorySegment MEMORY = Arena.global().allocate(2 * ROOM + 256, 4_096);

    private final long size;
    private long sum;

    CopyCostLoop(long size) {
        if (size > ROOM) {
            throw BadOptionException.value("-s", size, "1 to " + ROOM + " bytes for post_poll");
        }
        this.size = size;
    }

    void run(int operations) {
        for (int left = operations; left > 0; left -= BATCH) {
            batch(Math.min(left, BATCH));
        }
    }

    private void batch(int count) {
        long bytes = size;
        for (long i = 0; i < count; i++) {
            MemorySegment.copy(MEMORY, 0, MEMORY, ROOM, bytes);
            LONG.setRelease(MEMORY, STORED, i);
            sum += (long) LONG.getAcquire(MEMORY, LOADED);
        }
    }
}
