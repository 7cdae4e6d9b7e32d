package io.verbena.rc;

import org.agrona.UnsafeApi;

/**
 * One buffer of a work request in native memory, 24 bytes in native order: address at 0 (8 bytes), length at 8 (8
 * bytes), lkey at 16 (4 bytes).
 */
public final class Sge {
    /** Bytes from one buffer to the next. */
    public static final int BYTES = 24;

    private static final int LENGTH = 8;
    private static final int LKEY = 16;

    private Sge() {}

    /**
     * Writes an entry.
     *
     * @param entry where
     * @param address of the buffer's first byte, as its key counts
     * @param length bytes, 0 or more
     * @param lkey the key that opens it
     */
    public static void put(long entry, long address, long length, int lkey) {
        UnsafeApi.putLong(entry, address);
        UnsafeApi.putLong(entry + LENGTH, length);
        UnsafeApi.putInt(entry + LKEY, lkey);
    }

    /** The address of the first byte. */
    public static long address(long entry) {
        return UnsafeApi.getLong(entry);
    }

    /** The length in bytes. */
    public static long length(long entry) {
        return UnsafeApi.getLong(entry + LENGTH);
    }

    /** The local key. */
    public static int lkey(long entry) {
        return UnsafeApi.getInt(entry + LKEY);
    }
}
