package io.verbena.rc;

/**
 * The buffers of one work request as one row of bytes. Remembers where it was, so that packets in order never search.
 */
final class Buffers {
    private final HostMemory memory;
    private long buffers;
    private int count;
    private int current;
    /** Bytes before the current buffer. */
    private long before;

    Buffers(HostMemory memory) {
        this.memory = memory;
    }

    /** Starts with the buffers of another request. */
    void bind(long newBuffers, int newCount) {
        buffers = newBuffers;
        count = newCount;
        current = 0;
        before = 0;
    }

    /** Bytes of all buffers. */
    static long total(long buffers, int count) {
        long total = 0;
        for (int i = 0; i < count; i++) {
            total += Sge.length(buffers + (long) i * Sge.BYTES);
        }
        return total;
    }

    /** Copies some of the bytes to packet memory; false when a key does not open them. */
    boolean gather(long offset, int length, long target) {
        if (count == SendSource.INLINE) {
            Copy.bytes(buffers + offset, target, length);
            return true;
        }
        return move(offset, length, target, false);
    }

    /** Copies from packet memory to some of the bytes; false when a key does not open them, or they are too few. */
    boolean scatter(long offset, int length, long source) {
        return move(offset, length, source, true);
    }

    /** Writes 8 bytes, in native order, to the first buffer that is not empty; false when it does not take them. */
    boolean scatterLong(long value) {
        long entry = buffers;
        for (int i = 0; i < count; i++, entry += Sge.BYTES) {
            if (Sge.length(entry) > 0) {
                return Sge.length(entry) >= Long.BYTES
                        && memory.scatterLong(Sge.lkey(entry), Sge.address(entry), value);
            }
        }
        return false;
    }

    /** Whether the keys open all of the bytes for writing. */
    boolean accept() {
        for (int i = 0; i < count; i++) {
            long entry = buffers + (long) i * Sge.BYTES;
            if (!memory.accepts(Sge.lkey(entry), Sge.address(entry), Sge.length(entry))) {
                return false;
            }
        }
        return true;
    }

    private boolean move(long offset, int length, long packet, boolean in) {
        if (offset < before) {
            current = 0;
            before = 0;
        }
        long at = offset;
        int left = length;
        while (left > 0) {
            if (current >= count) {
                return false;
            }
            long entry = buffers + (long) current * Sge.BYTES;
            long inside = at - before;
            long rest = Sge.length(entry) - inside;
            if (rest <= 0) {
                before += Sge.length(entry);
                current++;
                continue;
            }
            int part = (int) Math.min(left, rest);
            long place = packet + length - left;
            boolean allowed = in
                    ? memory.scatter(Sge.lkey(entry), Sge.address(entry) + inside, part, place)
                    : memory.gather(Sge.lkey(entry), Sge.address(entry) + inside, part, place);
            if (!allowed) {
                return false;
            }
            at += part;
            left -= part;
        }
        return true;
    }
}
