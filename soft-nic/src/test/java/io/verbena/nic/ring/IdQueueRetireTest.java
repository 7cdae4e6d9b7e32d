package io.verbena.nic.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

/** A retired queue gives nothing, whatever its memory is used for by then. */
class IdQueueRetireTest {
    private static final int SLOTS = 4;

    @Test
    void whatLooksLikeAnIdInMemoryUsedAgainIsNotTaken() {
        MemorySegment memory = Arena.ofAuto().allocate(IdQueue.bytes(SLOTS), Long.BYTES);
        IdQueue queue = new IdQueue(memory, SLOTS);
        queue.offer(2);
        assertEquals(2, queue.poll());
        long lookedAt = queue.headIndex();
        queue.retire();
        for (long turn = 0; turn <= 2L * SLOTS; turn++) {
            for (int cell = 0; cell < SLOTS; cell++) {
                memory.setAtIndex(ValueLayout.JAVA_LONG, cell, turn << 20 | 3);
            }
            assertFalse(queue.pollAt(lookedAt), "by who has looked before");
            assertEquals(IdQueue.EMPTY, queue.poll());
            assertEquals(IdQueue.EMPTY, queue.peek());
            assertFalse(queue.pollIf(3));
        }
        assertEquals(0, queue.size());
    }
}
