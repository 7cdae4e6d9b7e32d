package io.verbena.nic.ring;

import io.verbena.nic.memory.OffHeap;

/** One scatter/gather entry inside a work queue entry: address 0, length 8, lkey 16; 24 bytes. */
public final class SgeLayout {
    /** Bytes of one entry. */
    public static final int BYTES = 24;

    private static final int ADDRESS = 0;
    private static final int LENGTH = 8;
    private static final int LKEY = 16;

    private SgeLayout() {}

    /** Writes an entry. */
    public static void put(long entry, long address, long length, int lkey) {
        OffHeap.putLong(entry + ADDRESS, address);
        OffHeap.putLong(entry + LENGTH, length);
        OffHeap.putInt(entry + LKEY, lkey);
    }

    /** The address of the first byte. */
    public static long address(long entry) {
        return OffHeap.getLong(entry + ADDRESS);
    }

    /** The length in bytes. */
    public static long length(long entry) {
        return OffHeap.getLong(entry + LENGTH);
    }

    /** The local key. */
    public static int lkey(long entry) {
        return OffHeap.getInt(entry + LKEY);
    }
}
