package io.verbena.nic.direct;

import io.verbena.nic.memory.KeyCache;
import io.verbena.nic.ring.SgeLayout;
import java.lang.foreign.MemorySegment;

/**
 * A position in a sequence of buffers under local keys, or in plain NIC memory: one side of a transfer. Reused for
 * every transfer; allocates nothing.
 */
final class Buffers {
    private KeyCache keys;
    private long first;
    private int count;
    private int rights;
    private MemorySegment plain;
    private int current;
    private long used;
    private long remaining;

    /** Starts at the first of some buffers. */
    void overBuffers(KeyCache newKeys, long firstBuffer, int bufferCount, int neededRights) {
        keys = newKeys;
        first = firstBuffer;
        count = bufferCount;
        rights = neededRights;
        plain = null;
        rewind();
    }

    /** Starts at the first byte of NIC memory that needs no key. */
    void overPlain(MemorySegment memory, long address, long length) {
        keys = null;
        plain = memory;
        first = address;
        remaining = length;
        used = 0;
    }

    private void rewind() {
        current = -1;
        remaining = 0;
        used = 0;
    }

    /** Starts at the first byte again. */
    void restart() {
        if (plain == null) {
            rewind();
        } else {
            remaining += used;
            used = 0;
        }
    }

    /** Bytes of all buffers. */
    static long total(long firstBuffer, int bufferCount) {
        long total = 0;
        for (int i = 0; i < bufferCount; i++) {
            total += SgeLayout.length(firstBuffer + (long) i * SgeLayout.BYTES);
        }
        return total;
    }

    /** Whether the keys of the buffers open the first bytes of them. */
    boolean allow(long length) {
        long left = length;
        for (int i = 0; plain == null && left > 0 && i < count; i++) {
            long buffer = first + (long) i * SgeLayout.BYTES;
            long part = Math.min(left, SgeLayout.length(buffer));
            if (part > 0 && keys.translate(SgeLayout.lkey(buffer), SgeLayout.address(buffer), part, rights)
                    == KeyCache.FAULT) {
                return false;
            }
            left -= part;
        }
        return true;
    }

    /** Bytes that can be moved at once from here; steps over finished and empty buffers. */
    long available() {
        while (remaining == 0 && plain == null && current + 1 < count) {
            current++;
            used = 0;
            remaining = SgeLayout.length(buffer());
        }
        return remaining;
    }

    private long buffer() {
        return first + (long) current * SgeLayout.BYTES;
    }

    /** Raw address of the next bytes, or a code of {@link KeyCache}. */
    long translate(long length) {
        if (plain != null) {
            return first + used;
        }
        return keys.translate(SgeLayout.lkey(buffer()), SgeLayout.address(buffer()) + used, length, rights);
    }

    /** The segment behind the next bytes, after {@link #locate}. */
    MemorySegment segment() {
        return plain != null ? plain : keys.segment();
    }

    /** Where the next bytes are in {@link #segment}, or {@link KeyCache#FAULT}; looks the key up again. */
    long locate(long length) {
        if (plain != null) {
            return first + used - plain.address();
        }
        boolean allowed = keys.locate(
                SgeLayout.lkey(buffer()), SgeLayout.address(buffer()) + used, length, rights);
        return allowed ? keys.offset() : KeyCache.FAULT;
    }

    /** Steps over bytes that were moved. */
    void advance(long length) {
        used += length;
        remaining -= length;
    }
}
