package io.verbena.nic;

import io.verbena.nic.memory.BlockPool;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;

/**
 * Words that other processes may read, each on a line of its own. They are used again as such words only and never
 * cleared, so that a thread which is late with one does no harm. Under the control lock.
 */
final class BoardWords {
    private static final long BLOCK_BYTES = 4096;

    private final BlockPool pool;
    private final ArrayDeque<Long> free = new ArrayDeque<>();

    BoardWords(BlockPool pool) {
        this.pool = pool;
    }

    /** Takes a word; returns its address. */
    long take() {
        if (free.isEmpty()) {
            MemorySegment block = pool.take(BLOCK_BYTES);
            for (long at = 0; at < BLOCK_BYTES; at += BlockPool.ALIGNMENT) {
                free.add(block.address() + at);
            }
        }
        return free.remove();
    }

    /** Gives a word back. */
    void give(long address) {
        free.add(address);
    }
}
