package io.verbena.rc;

import io.verbena.rc.memory.MemorySlot;
import io.verbena.rc.memory.MemoryTable;
import io.verbena.rc.memory.MemoryWindows;
import io.verbena.verbs.Access;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.agrona.UnsafeApi;

/**
 * The only way from a connection to host memory: every access names a key, and the key is looked up for each packet, so
 * that a revoked key opens nothing from the next packet on (IBA 10.6, C10-39 and following). One object for each queue
 * pair; one thread at a time, inside a guard of the memory table's owner.
 */
public final class HostMemory {
    private static final long PLAIN = 0;
    private static final MemorySegment EVERYTHING = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    private final MemoryTable table;
    private final SegmentSource segments;
    private final int domain;
    private final int qpNum;
    /** What {@link #locate} found: a raw address, or {@link #PLAIN} and a place in a segment. */
    private long raw;
    private MemorySegment segment;
    private long offset;
    private long found;
    private long prior;

    /**
     * Makes the access of a queue pair.
     *
     * @param table the device's keys
     * @param segments where memory without raw address is found
     * @param domain the queue pair's protection domain
     * @param qpNum the queue pair; type 2 memory windows bound on it are open to its peer
     */
    public HostMemory(MemoryTable table, SegmentSource segments, int domain, int qpNum) {
        this.table = table;
        this.segments = segments;
        this.domain = domain;
        this.qpNum = qpNum;
    }

    /** Finds what a key opens; false when it does not open all of it with all of the rights. */
    private boolean locate(int kind, int key, long address, long length, int rights) {
        long slot = key == 0 ? 0 : table.find(key, kind, domain);
        if (slot == 0) {
            return false;
        }
        // Before anything else of the slot: what belongs to others may be changing now. 0 and less: to nobody alone.
        int owner = MemorySlot.owner(slot);
        if (owner > 0 && owner != qpNum || (MemorySlot.access(slot) & rights) != rights
                || !MemorySlot.covers(slot, address, length)) {
            return false;
        }
        long distance = address - MemorySlot.iova(slot);
        long base = MemorySlot.base(slot);
        found = slot;
        raw = base == 0 ? PLAIN : base + distance;
        if (base == 0) {
            segment = segments.segment(MemorySlot.region(slot));
            offset = MemorySlot.start(slot) + distance;
        }
        return true;
    }

    /**
     * Whether a key of ours opens memory to the peer.
     *
     * @param rkey the key
     * @param address first byte, as the key counts
     * @param length bytes; 0 needs no key
     * @param rights bits of {@link Access}
     * @return false when any byte or right is missing
     */
    public boolean allows(int rkey, long address, long length, int rights) {
        return length == 0 || locate(MemoryTable.REMOTE, rkey, address, length, rights);
    }

    /** Copies from packet memory to what an rkey opens; false when it does not, or no longer. */
    boolean write(int rkey, long address, int length, long source) {
        return length == 0 || locate(MemoryTable.REMOTE, rkey, address, length, Access.REMOTE_WRITE)
                && put(source, length);
    }

    /** Copies to packet memory from what an rkey opens; false when it does not, or no longer. */
    boolean read(int rkey, long address, int length, long target) {
        return length == 0 || locate(MemoryTable.REMOTE, rkey, address, length, Access.REMOTE_READ)
                && get(target, length);
    }

    /** Copies from packet memory to a local buffer; false when its key does not open it for writing. */
    boolean scatter(int lkey, long address, int length, long source) {
        return locate(MemoryTable.LOCAL, lkey, address, length, Access.LOCAL_WRITE) && put(source, length);
    }

    /** Whether a local key opens a buffer for writing; one of no bytes needs no key. */
    boolean accepts(int lkey, long address, long length) {
        return length == 0 || locate(MemoryTable.LOCAL, lkey, address, length, Access.LOCAL_WRITE);
    }

    /** Copies to packet memory from a local buffer; false when its key does not open it. */
    boolean gather(int lkey, long address, int length, long target) {
        return locate(MemoryTable.LOCAL, lkey, address, length, 0) && get(target, length);
    }

    /** Writes 8 bytes, in native order, to a local buffer; false when its key does not open it for writing. */
    boolean scatterLong(int lkey, long address, long value) {
        if (!locate(MemoryTable.LOCAL, lkey, address, Long.BYTES, Access.LOCAL_WRITE)) {
            return false;
        }
        if (raw != PLAIN) {
            UnsafeApi.putLongUnaligned(null, raw, value);
            return true;
        }
        try {
            segment.set(ValueLayout.JAVA_LONG_UNALIGNED, offset, value);
            return true;
        } catch (IllegalStateException | InternalError gone) {
            return false;
        }
    }

    private boolean put(long source, int length) {
        if (raw != PLAIN) {
            Copy.lastByteLast(source, raw, length);
            return true;
        }
        try {
            MemorySegment.copy(EVERYTHING, source, segment, offset, length);
            return true;
        } catch (IllegalStateException | InternalError gone) {
            return false;
        }
    }

    private boolean get(long target, int length) {
        if (raw != PLAIN) {
            Copy.bytes(raw, target, length);
            return true;
        }
        try {
            MemorySegment.copy(segment, offset, EVERYTHING, target, length);
            return true;
        } catch (IllegalStateException | InternalError gone) {
            return false;
        }
    }

    /** Finds the 8 bytes of an atomic. */
    boolean locateAtomic(int rkey, long address, int right) {
        return locate(MemoryTable.REMOTE, rkey, address, Long.BYTES, right);
    }

    /** Whether the 8 bytes found by {@link #locateAtomic} can be accessed atomically. */
    boolean isAligned() {
        return ((raw != PLAIN ? raw : segment.address() + offset) & Long.BYTES - 1) == 0;
    }

    /** Swaps the 8 bytes found when they equal something; false when they are gone. Then see {@link #prior}. */
    boolean compareSwap(long compare, long swap) {
        if (raw != PLAIN) {
            prior = UnsafeApi.compareAndExchangeLong(null, raw, compare, swap);
            return true;
        }
        try {
            prior = (long) LONG.compareAndExchange(segment, offset, compare, swap);
            return true;
        } catch (IllegalStateException | InternalError gone) {
            return false;
        }
    }

    /** Adds to the 8 bytes found; false when they are gone. Then see {@link #prior}. */
    boolean fetchAdd(long addend) {
        if (raw != PLAIN) {
            prior = UnsafeApi.getAndAddLong(null, raw, addend);
            return true;
        }
        try {
            prior = (long) LONG.getAndAdd(segment, offset, addend);
            return true;
        } catch (IllegalStateException | InternalError gone) {
            return false;
        }
    }

    /** Writes the 8 bytes found at once, after everything written before; false when they are gone. */
    boolean atomicWrite(long value) {
        if (raw != PLAIN) {
            UnsafeApi.putLongRelease(null, raw, value);
            return true;
        }
        try {
            LONG.setRelease(segment, offset, value);
            return true;
        } catch (IllegalStateException | InternalError gone) {
            return false;
        }
    }

    /** What the 8 bytes were before. */
    long prior() {
        return prior;
    }

    /** Whether an rkey may be flushed: a range of what it opens, or all of it. */
    boolean allowsFlush(int rkey, boolean whole, long address, long length, int rights) {
        if (!whole) {
            return locate(MemoryTable.REMOTE, rkey, address, length, rights);
        }
        long slot = rkey == 0 ? 0 : table.find(rkey, MemoryTable.REMOTE, domain);
        return slot != 0 && locate(MemoryTable.REMOTE, rkey, MemorySlot.iova(slot), 0, rights);
    }

    /** Writes what {@link #allowsFlush} found back to its storage, at once or not at all; false when that failed. */
    boolean persist(boolean whole, long address, long length) {
        long distance = whole ? 0 : address - MemorySlot.iova(found);
        long bytes = whole ? MemorySlot.length(found) : length;
        return segments.persist(MemorySlot.region(found), MemorySlot.start(found) + distance, bytes);
    }

    /** Unbinds a type 2 window of this queue pair, as a SEND with invalidate asks; false when there is none. */
    boolean invalidate(int rkey) {
        long slot = rkey == 0 ? 0 : table.find(rkey, MemoryTable.REMOTE, domain);
        if (slot == 0 || MemorySlot.owner(slot) != qpNum) {
            return false;
        }
        MemoryWindows windows = table.windows();
        long leaving = windows.beginUnbind(slot, rkey);
        // Only the peer's requests could be at work under the key, and this is one of them.
        if (leaving != 0) {
            windows.endUnbind(slot, leaving, false);
        }
        return leaving != 0;
    }
}
