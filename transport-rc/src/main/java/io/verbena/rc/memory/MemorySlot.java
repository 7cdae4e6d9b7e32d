package io.verbena.rc.memory;

import static io.verbena.rc.memory.MemorySlotLayout.ACCESS_OFFSET;
import static io.verbena.rc.memory.MemorySlotLayout.BASE_OFFSET;
import static io.verbena.rc.memory.MemorySlotLayout.IOVA_OFFSET;
import static io.verbena.rc.memory.MemorySlotLayout.LENGTH_OFFSET;
import static io.verbena.rc.memory.MemorySlotLayout.OWNER_OFFSET;
import static io.verbena.rc.memory.MemorySlotLayout.REGION_OFFSET;
import static io.verbena.rc.memory.MemorySlotLayout.START_OFFSET;

import org.agrona.UnsafeApi;

/** Reads what a slot of a {@link MemoryTable} says: the data path of any thread, inside the caller's guard. */
public final class MemorySlot {
    private MemorySlot() {}

    /**
     * The range check, safe against overflow.
     *
     * @param slot what {@link MemoryTable#find} returned, not 0
     * @param address first byte, as the key's iova counts
     * @param length bytes; negative counts as 2^63 or more and is never covered
     * @return true when every byte lies in the key's range; a length of 0 may stand at the end
     */
    public static boolean covers(long slot, long address, long length) {
        long offset = address - iova(slot);
        long limit = length(slot);
        return Long.compareUnsigned(offset, limit) <= 0 && Long.compareUnsigned(length, limit - offset) <= 0;
    }

    /**
     * The rights of a key.
     *
     * @param slot what {@link MemoryTable#find} returned, not 0
     * @return bits of {@link io.verbena.verbs.Access}
     */
    public static int access(long slot) {
        return UnsafeApi.getInt(slot + ACCESS_OFFSET);
    }

    /**
     * The address by which work requests and peers name the first byte.
     *
     * @param slot what {@link MemoryTable#find} returned, not 0
     * @return 64 bits
     */
    public static long iova(long slot) {
        return UnsafeApi.getLong(slot + IOVA_OFFSET);
    }

    /**
     * The length of what a key opens.
     *
     * @param slot what {@link MemoryTable#find} returned, not 0
     * @return bytes, 0 or more
     */
    public static long length(long slot) {
        return UnsafeApi.getLong(slot + LENGTH_OFFSET);
    }

    /**
     * Raw address of the first byte.
     *
     * @param slot what {@link MemoryTable#find} returned, not 0
     * @return 0 when the memory may only be touched through the segment of {@link #region}
     */
    public static long base(long slot) {
        return UnsafeApi.getLong(slot + BASE_OFFSET);
    }

    /**
     * The owner's number for the memory region behind a key.
     *
     * @param slot what {@link MemoryTable#find} returned, not 0
     * @return as inserted
     */
    public static int region(long slot) {
        return UnsafeApi.getInt(slot + REGION_OFFSET);
    }

    /**
     * Who may use a key besides the queue pairs of its domain; read it before anything else of a slot. An acquire load.
     *
     * @param slot what {@link MemoryTable#find} returned, not 0
     * @return 0 for a region's key, {@link MemoryWindows#ANYBODY} for a type 1 window's, and for that of a type 2
     *     window the number of the queue pair whose peer alone may use it
     */
    public static int owner(long slot) {
        return UnsafeApi.getIntAcquire(null, slot + OWNER_OFFSET);
    }

    /**
     * Where what a key opens starts in the segment of {@link #region}.
     *
     * @param slot what {@link MemoryTable#find} returned, not 0
     * @return bytes, 0 unless it is a window's key
     */
    public static long start(long slot) {
        return UnsafeApi.getLong(slot + START_OFFSET);
    }
}
