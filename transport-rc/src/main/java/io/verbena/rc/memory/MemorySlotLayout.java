package io.verbena.rc.memory;

/**
 * Where things lie in the storage of a {@link MemoryTable}, in bytes. A header comes first, then the slots. All
 * values are in native byte order.
 *
 * <p>The tag is one long, so that a reader learns with one load whether a slot is the one it wants: key in the low
 * half, kind in the high half. Tags other than that of a live key:
 * <ul>
 *   <li>{@link #EMPTY}: free, and no key lies beyond; probing ends here;
 *   <li>{@link #TOMBSTONE}: free, but probing goes on;
 *   <li>a live key's tag with {@link #REVOKED} set: held back for its owner; probing goes on. For a memory window
 *       that is its state while it is not bound, with one more bit while that changes (see {@link MemoryWindows}).
 * </ul>
 */
final class MemorySlotLayout {
    /** The epoch alone: two cache lines, so that slots are not fetched along with it. */
    static final int HEADER_BYTES = 128;
    /** In the header: a long that counts revocations, starting at 1. */
    static final int EPOCH_OFFSET = 0;

    /** One cache line for each slot. */
    static final int SLOT_BYTES = 64;
    /** Shift that multiplies by {@link #SLOT_BYTES}. */
    static final int SLOT_SHIFT = 6;

    /** Long: key and kind, or one of the special tags. Stored last and with release when a key is published. */
    static final int TAG_OFFSET = 0;
    /** Int: protection domain. */
    static final int DOMAIN_OFFSET = 8;
    /** Int: rights. */
    static final int ACCESS_OFFSET = 12;
    /** Long: address of the first byte as peers name it. */
    static final int IOVA_OFFSET = 16;
    /** Long: bytes. */
    static final int LENGTH_OFFSET = 24;
    /** Long: raw address of the first byte, or 0. */
    static final int BASE_OFFSET = 32;
    /** Int: the owner's number for the region. */
    static final int REGION_OFFSET = 40;
    /** Int, control plane only: keys in use that lie beyond this slot, seen from their home slots. */
    static final int BEYOND_OFFSET = 44;

    /** Int: 0 for a region; for a window who may use it, see {@link MemoryWindows}. */
    static final int OWNER_OFFSET = 48;
    /** Int: for a region's lkey how many windows are bound to it; for a bound window the index of that lkey's slot. */
    static final int LINK_OFFSET = 52;
    /** Long: bytes from the start of the region to the first byte; 0 but for windows. */
    static final int START_OFFSET = 56;

    /** Tag of an empty slot; zeroed storage is an empty table. */
    static final long EMPTY = 0;
    /** Tag of a released slot that still links others. */
    static final long TOMBSTONE = 1L << 62;
    /** Bit that turns a live key's tag into a revoked one. */
    static final long REVOKED = 1L << 63;

    /** Bit, with {@link #REVOKED}: a window that is being bound. */
    static final long BINDING = 1L << 61;
    /** Bit, with {@link #REVOKED}: a window that is no longer bound but perhaps still in use. */
    static final long LEAVING = 1L << 60;
    /** Bit, with {@link #REVOKED}: a window that is being closed; nobody else may change it. */
    static final long CLOSED = 1L << 59;

    /** Bits of a window's key that its binder chooses. */
    static final int CHOICE_MASK = 0xFF;
    /** How far the part of a key that stays is shifted. */
    static final int PREFIX_SHIFT = 8;

    private MemorySlotLayout() {}

    /**
     * The tag of a live key.
     *
     * @param key never 0
     * @param kind {@link MemoryTable#LOCAL} or {@link MemoryTable#REMOTE}
     * @return the kind in the high half, the key in the low half
     */
    static long tag(int key, int kind) {
        return (long) kind << 32 | key & 0xFFFF_FFFFL;
    }

    /**
     * The key in the tag of a live or revoked slot.
     *
     * @param tag any tag
     * @return 0 for empty slots and tombstones
     */
    static int keyOf(long tag) {
        return (int) tag;
    }
}
