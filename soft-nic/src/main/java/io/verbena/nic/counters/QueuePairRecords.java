package io.verbena.nic.counters;

import io.verbena.nic.memory.OffHeap;
import io.verbena.nic.stat.CounterFileLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Hands out records, chunk by chunk: from the file while there is room, then from private memory. The caller serialises
 * all calls.
 */
final class QueuePairRecords {
    private static final int CHUNK_SHIFT = 9;
    private static final int CHUNK_RECORDS = 1 << CHUNK_SHIFT;
    private static final long CHUNK_BYTES = (long) CHUNK_RECORDS * CounterFileLayout.RECORD_BYTES;

    private final CounterMemory memory;
    private final List<MemorySegment> chunks = new ArrayList<>();
    private final BitSet taken = new BitSet();
    private int inFile;
    private long hidden;

    QueuePairRecords(CounterMemory memory) {
        this.memory = memory;
    }

    /** A zeroed record. */
    long take() {
        int slot = taken.nextClearBit(0);
        if (slot >>> CHUNK_SHIFT == chunks.size()) {
            addChunk();
        }
        taken.set(slot);
        if (slot < inFile) {
            word(CounterFileLayout.RECORDS_USED, Math.min(taken.length(), inFile));
        } else {
            word(CounterFileLayout.HIDDEN, ++hidden);
        }
        return chunks.get(slot >>> CHUNK_SHIFT).address()
                + (long) (slot & CHUNK_RECORDS - 1) * CounterFileLayout.RECORD_BYTES;
    }

    private void addChunk() {
        long offset = CounterFileLayout.RECORDS + chunks.size() * CHUNK_BYTES;
        boolean room = chunks.size() < CounterFileLayout.RECORD_LIMIT / CHUNK_RECORDS
                && memory.reserve(offset, CHUNK_BYTES);
        if (room) {
            chunks.add(memory.memory().asSlice(offset, CHUNK_BYTES));
            inFile += CHUNK_RECORDS;
        } else {
            chunks.add(Arena.ofAuto().allocate(CHUNK_BYTES, CounterFileLayout.RECORD_BYTES));
        }
    }

    /** Takes a record back; it is zeroed. */
    void give(long record) {
        OffHeap.zero(record, CounterFileLayout.RECORD_BYTES);
        int slot = slotOf(record);
        taken.clear(slot);
        if (slot >= inFile) {
            word(CounterFileLayout.HIDDEN, --hidden);
        }
    }

    private int slotOf(long record) {
        for (int i = 0; i < chunks.size(); i++) {
            long offset = record - chunks.get(i).address();
            if (offset >= 0 && offset < CHUNK_BYTES) {
                return (i << CHUNK_SHIFT) + (int) (offset / CounterFileLayout.RECORD_BYTES);
            }
        }
        throw new IllegalArgumentException("no record of this NIC");
    }

    /** Open queue pairs whose records are in private memory. */
    long hidden() {
        return hidden;
    }

    private void word(int offset, long value) {
        OffHeap.putLongRelease(memory.memory().address() + offset, value);
    }
}
