package io.verbena.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The memory of bare_lat: that of this process, or that which it shares with another one. Static and final, because
 * the compiler then knows its address and limits: the figures that verbs are compared with shall be the best that plain
 * Java reaches.
 */
final class BareMemory {
    /** Sequence words. */
    static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();
    /** Room of one direction: the line of the sequence word, then the payload. */
    private static final long ROOM = (1L << 23) + 4_096;
    /** All of it. */
    static final long BYTES = 4 * ROOM;
    private static final int LINE = 64;

    /** Two rooms for the two directions, two rooms for the private buffers. */
    static final MemorySegment ALL = SharedFile.BARE.memory() != null ? SharedFile.BARE.memory()
            : Arena.global().allocate(BareMemory.BYTES, 4_096);

    private BareMemory() {}

    /** Where the sequence word of a direction is. */
    static long sequence(int direction) {
        return direction * ROOM;
    }

    /** Where the payload of a direction is. */
    static long payload(int direction) {
        return direction * ROOM + LINE;
    }

    /** Where a side keeps its own copy, both of what it sends and of what it got. */
    static long own(int side) {
        return (2 + side) * ROOM;
    }
}
