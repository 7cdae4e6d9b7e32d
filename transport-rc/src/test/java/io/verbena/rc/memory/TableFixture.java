package io.verbena.rc.memory;

import java.lang.foreign.Arena;
import java.util.Random;
import java.util.function.IntSupplier;
import org.agrona.UnsafeApi;

/** A memory table with its own storage for tests, and a view of its slots that the table itself does not offer. */
final class TableFixture implements AutoCloseable {
    static final int DOMAIN = 7;

    final MemoryTable table;
    private final Arena arena = Arena.ofShared();
    private final long storage;
    private final int slots;

    TableFixture(int maxKeys, IntSupplier keySource) {
        long bytes = MemoryTable.bytesFor(maxKeys);
        storage = arena.allocate(bytes, MemorySlotLayout.SLOT_BYTES).address();
        slots = (int) ((bytes - MemorySlotLayout.HEADER_BYTES) / MemorySlotLayout.SLOT_BYTES);
        table = new MemoryTable(storage, maxKeys, keySource);
    }

    static TableFixture random(int maxKeys, long seed) {
        return new TableFixture(maxKeys, new Random(seed)::nextInt);
    }

    static MemoryEntry entry(long iova, long length) {
        return new MemoryEntry(DOMAIN, 0, iova, length, 0x10_0000, 1);
    }

    int slots() {
        return slots;
    }

    private long tag(int index) {
        long slot = storage + MemorySlotLayout.HEADER_BYTES + (long) Math.floorMod(index, slots)
                * MemorySlotLayout.SLOT_BYTES;
        return UnsafeApi.getLong(slot + MemorySlotLayout.TAG_OFFSET);
    }

    /** Free slots that are not empty. */
    int tombstones() {
        int count = 0;
        for (int i = 0; i < slots; i++) {
            count += tag(i) == MemorySlotLayout.TOMBSTONE ? 1 : 0;
        }
        return count;
    }

    /** Tombstones with an empty slot after them: there must be none. */
    int uselessTombstones() {
        int count = 0;
        for (int i = 0; i < slots; i++) {
            count += tag(i) == MemorySlotLayout.TOMBSTONE && tag(i + 1) == MemorySlotLayout.EMPTY ? 1 : 0;
        }
        return count;
    }

    /** The longest way that any look-up can go: slots in a row that are not empty. */
    int longestRun() {
        int longest = 0;
        int run = 0;
        for (int i = 0; i < 2 * slots; i++) {
            run = tag(i) == MemorySlotLayout.EMPTY ? 0 : run + 1;
            longest = Math.max(longest, run);
        }
        return Math.min(longest, slots);
    }

    /** The mean number of slots that a look-up of an unknown key visits, over all home slots. */
    double meanMiss() {
        long visits = 0;
        for (int i = 0; i < slots; i++) {
            int probe = 0;
            while (probe < slots && tag(i + probe) != MemorySlotLayout.EMPTY) {
                probe++;
            }
            visits += probe + 1;
        }
        return (double) visits / slots;
    }

    @Override
    public void close() {
        arena.close();
    }
}
