package io.verbena.verbs.tck;

import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.tck.peer.GuardedMemory;
import io.verbena.verbs.tck.peer.Pattern;
import io.verbena.verbs.tck.peer.Waiting;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Registered memory of side A.
 *
 * @param memory with its guards
 * @param region all of it
 */
record Buffer(GuardedMemory memory, MemoryRegion region) {
    long address() {
        return region.address();
    }

    int lkey() {
        return region.lkey();
    }

    MemorySegment segment() {
        return memory.segment();
    }

    Buffer fill(long seed) {
        Pattern.fill(segment(), seed);
        return this;
    }

    void fill(long offset, long bytes, long seed) {
        Pattern.fill(segment().asSlice(offset, bytes), seed);
    }

    /** Fails unless a range holds the first bytes of a pattern. */
    void check(long offset, long bytes, long seed, Object what) {
        long at = Pattern.mismatch(segment().asSlice(offset, bytes), seed);
        if (at >= 0) {
            throw new AssertionError(what + ": A's memory differs from pattern " + seed + " at offset "
                    + (offset + at) + ", " + bytes + " bytes expected from " + offset);
        }
    }

    /** The same for what was written without acknowledgement: it may still be on its way. */
    void await(long offset, long bytes, long seed, Object what) {
        MemorySegment range = segment().asSlice(offset, bytes);
        Waiting.until(() -> Pattern.mismatch(range, seed) < 0, Waiting.LIMIT_NANOS);
        check(offset, bytes, seed, what);
    }

    long getLong(long offset) {
        return segment().get(ValueLayout.JAVA_LONG_UNALIGNED, offset);
    }

    void setLong(long offset, long value) {
        segment().set(ValueLayout.JAVA_LONG_UNALIGNED, offset, value);
    }
}
