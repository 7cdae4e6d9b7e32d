package io.verbena.nic.ring;

import io.verbena.rc.memory.MemoryTable;
import java.lang.foreign.MemorySegment;

/** What never changes of a {@link ReceiveQueue}, and what seldom does. */
abstract class ReceiveQueueShape {
    /** The longest message that travels in a completion entry. */
    static final int MAX_EAGER = ReceiveCompletionLayout.SECOND_LINE_BYTES;

    /** Three lines: the posted word; whether the lane is hot; what peers in other processes must know. */
    static final int HEADER_BYTES = 256;
    static final int HOT_AT = 64;
    static final int COUNTED_AT = 72;

    final MemorySegment block;
    final long postedWord;
    final long completions;
    final long wqes;
    final int depth;
    final int limit;
    final int wqeShift;
    final int maxSge;
    final MemoryTable table;
    final int domain;
    final boolean singleThreaded;
    ReceiveLane lane;
    volatile boolean closed;

    ReceiveQueueShape(MemorySegment block, ReceiveQueue.Shape shape, MemoryTable table, int domain,
            boolean singleThreaded) {
        this.block = block;
        depth = shape.slots();
        limit = shape.limit();
        maxSge = shape.maxSge();
        this.table = table;
        this.domain = domain;
        this.singleThreaded = singleThreaded;
        wqeShift = ReceiveWqeLayout.shift(maxSge);
        postedWord = block.address();
        completions = postedWord + HEADER_BYTES;
        wqes = completions + ((long) depth << ReceiveCompletionLayout.SHIFT);
    }

    /** The queue of another process, to be read only. */
    ReceiveQueueShape(MemorySegment inbox, ReceiveQueue.Location location) {
        block = inbox;
        depth = location.slots();
        limit = 0;
        maxSge = location.maxSge();
        table = null;
        domain = 0;
        singleThreaded = false;
        wqeShift = location.receiveShift();
        postedWord = location.posted();
        completions = inbox.address() + location.completionsAt();
        wqes = location.receives();
    }

    static long bytes(ReceiveQueue.Shape shape) {
        return HEADER_BYTES + ((long) shape.slots() << ReceiveCompletionLayout.SHIFT)
                + ((long) shape.slots() << ReceiveWqeLayout.shift(shape.maxSge()));
    }
}

/** The words of a {@link ReceiveQueue} that its posters write. */
abstract class ReceiveQueueFields extends ReceiveQueueShape {
    /** A guard's word: odd while a single-threaded poster is in a data call. */
    long guardWord;
    /** Safe mode: bit 63 closed, bits 16-62 indices handed out, bits 0-15 posts that may still touch the memory. */
    volatile long reserved;
    long posted;
    long headSeen;
    long shortestAt = -1;
    int eager = MAX_EAGER;
    int eagerAfterShortest = MAX_EAGER;

    ReceiveQueueFields(MemorySegment inbox, ReceiveQueue.Location location) {
        super(inbox, location);
    }

    ReceiveQueueFields(MemorySegment block, ReceiveQueue.Shape shape, MemoryTable table, int domain,
            boolean singleThreaded) {
        super(block, shape, table, domain, singleThreaded);
    }
}
