package io.verbena.nic.ring;

import java.lang.foreign.MemorySegment;

/** Keeps what lies before a {@link SendQueue} off the lines of its words, together with {@link SendQueueShape}. */
abstract class SendQueuePadding {
    long p0, p1, p2;
}

/** What never changes of a {@link SendQueue}; read by those who write its words, so that they may lie together. */
abstract class SendQueueShape extends SendQueuePadding {
    final MemorySegment memory;
    final long entries;
    final int entryBytes;
    final int depth;
    final int limit;
    final SendLane lane;

    SendQueueShape(MemorySegment memory, long entries, SendQueue.Shape shape, SendLane lane) {
        this.memory = memory;
        this.entries = entries;
        entryBytes = shape.entryBytes();
        depth = shape.slots();
        limit = shape.limit();
        this.lane = lane;
    }
}

/** The words of a {@link SendQueue} that posters and the executor share. */
abstract class SendQueueFields extends SendQueueShape {
    /** Bit 63 closed, bits 1-62 sequences handed out, bit 0 claimed by an executor. */
    volatile long claim;
    /** Sequences executed: every work request before this one is done. Written by the executor. */
    volatile long executed;
    /** A lower bound of the sequences whose slots are free again. */
    long retired;
    /** A guard's word: odd while a single-threaded poster that keeps the claim is in a data call. */
    long aloneWord;
    /** A guard's word: odd while somebody who took the claim for a while is in a data call. */
    long claimedWord;

    SendQueueFields(MemorySegment memory, long entries, SendQueue.Shape shape, SendLane lane) {
        super(memory, entries, shape, lane);
    }
}
