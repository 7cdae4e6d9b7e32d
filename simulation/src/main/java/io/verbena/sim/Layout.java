package io.verbena.sim;

/**
 * Where things lie in the memory of an end: rows of slots for sources, receives, targets of the peer's writes and
 * results, then what the peer may read, and its counter. Behind every slot lies a strip that nobody may touch.
 */
final class Layout {
    static final int GUARD = 16;

    final int slots;
    final int stride;
    final int sources;
    final int receives;
    final int targets;
    final int results;
    final int readable;
    final int counter;
    final int bytes;
    final int maxLength;

    Layout(int slots, int maxLength) {
        this.slots = slots;
        this.maxLength = maxLength;
        stride = (Math.max(8, maxLength) + 7 & -8) + GUARD;
        sources = GUARD;
        receives = sources + slots * stride;
        targets = receives + slots * stride;
        results = targets + slots * stride;
        readable = results + slots * stride;
        counter = readable + stride;
        bytes = counter + 8 + GUARD;
    }

    int slot(int row, long index) {
        return row + (int) (index % slots) * stride;
    }

    /** Bytes of the targets, which peers may write. */
    int targetBytes() {
        return slots * stride;
    }
}
