package io.verbena.nic.memory;

import io.verbena.rc.memory.MemorySlot;
import io.verbena.rc.memory.MemoryTable;
import java.lang.foreign.MemorySegment;

/**
 * Turns (key, address, length) into memory, remembering the last key. Belongs to one data path role; used inside its
 * {@link Guard} and cleared by {@link #clear} whenever the {@link Generation} has changed.
 */
public final class KeyCache {
    /** The access is not allowed. */
    public static final long FAULT = -1;
    /** The access is allowed, through {@link #segment()} at {@link #offset()} only. */
    public static final long CHECKED = -2;

    private static final int PEER_BITS = 24;
    private static final int PEER_MASK = (1 << PEER_BITS) - 1;

    /** Where memory of another process is mapped, and the region found last: the only one it has. */
    private static final class Foreign implements Regions {
        private final ForeignMemory memory;
        private MemorySegment region;

        Foreign(ForeignMemory memory) {
            this.memory = memory;
        }

        @Override
        public MemorySegment segment(int number) {
            return region;
        }
    }

    /** Kind of the keys, and the queue pair whose windows may be used in the lower bits. */
    private final int role;
    private MemoryTable table;
    private Regions regions;
    private int domain;
    private int key;
    private int access;
    /** By what the remembered key's first byte is named; else how much memory {@link #locateAll} found. */
    private long iova;
    /** Bytes the remembered key opens; -1 while none is remembered, so that no access fits, not even one by key 0. */
    private long size = -1;
    /** Raw address of the remembered key's first byte; else where in its segment the checked access starts. */
    private long base;
    private int region;

    /**
     * Makes an empty cache.
     *
     * @param table where keys are looked up
     * @param regions where checked memory is found
     * @param kind {@link MemoryTable#LOCAL} or {@link MemoryTable#REMOTE}
     * @param domain the protection domain that keys must belong to
     */
    public KeyCache(MemoryTable table, Regions regions, int kind, int domain) {
        this(table, regions, kind, domain, 0);
    }

    /**
     * Makes an empty cache that opens windows of one queue pair too.
     *
     * @param table where keys are looked up
     * @param regions where checked memory is found
     * @param kind {@link MemoryTable#LOCAL} or {@link MemoryTable#REMOTE}
     * @param domain the protection domain that keys must belong to
     * @param peer number of the queue pair whose type 2 memory windows may be used; 0 for none
     */
    public KeyCache(MemoryTable table, Regions regions, int kind, int domain, int peer) {
        role = kind << PEER_BITS | peer;
        this.table = table;
        this.regions = regions;
        this.domain = domain;
    }

    /**
     * Makes an empty cache of keys of another process.
     *
     * @param table a view of its table
     * @param memory where its memory is mapped
     * @param kind {@link MemoryTable#LOCAL} or {@link MemoryTable#REMOTE}
     * @param domain the protection domain that keys must belong to
     * @param peer number of the queue pair whose type 2 memory windows may be used; 0 for none
     * @return a cache
     */
    public static KeyCache ofForeign(MemoryTable table, ForeignMemory memory, int kind, int domain, int peer) {
        return new KeyCache(table, new Foreign(memory), kind, domain, peer);
    }

    /** Looks keys up elsewhere from now on; for a cache that serves many receivers in turn. */
    public void bind(MemoryTable newTable, Regions newRegions, int newDomain) {
        if (table != newTable || domain != newDomain) {
            table = newTable;
            regions = newRegions;
            domain = newDomain;
            clear();
        }
    }

    /** Forgets the key, because the generation has changed. */
    public void clear() {
        key = 0;
        size = -1;
    }

    /**
     * Finds the memory of an access.
     *
     * @param wanted the key presented
     * @param address first byte, as the region's iova counts
     * @param length bytes, 1 or more
     * @param rights bits of Access that are needed
     * @return the raw address; {@link #FAULT}; or {@link #CHECKED}
     */
    public long translate(int wanted, long address, long length, int rights) {
        long at = address - iova;
        if (wanted == key && at >= 0 && at <= size - length && (access & rights) == rights) {
            return base + at;
        }
        return lookUp(wanted, address, length, rights);
    }

    /** Remembers the key if its memory may be reached by raw address, else where the access is. */
    private long lookUp(int wanted, long address, long length, int rights) {
        if (regions instanceof Foreign elsewhere) {
            return lookUpForeign(elsewhere, wanted, address, length, rights);
        }
        long found = find(wanted, rights);
        if (found == 0 || !MemorySlot.covers(found, address, length)) {
            clear();
            return FAULT;
        }
        note(found, address - MemorySlot.iova(found));
        if (MemorySlot.base(found) == 0) {
            return CHECKED;
        }
        iova = MemorySlot.iova(found);
        size = MemorySlot.length(found);
        base = MemorySlot.base(found);
        access = MemorySlot.access(found);
        key = wanted;
        return base + address - iova;
    }

    private long lookUpForeign(Foreign foreign, int wanted, long address, long length, int rights) {
        if (!locateForeign(foreign, wanted, address, length, rights)) {
            return FAULT;
        }
        long at = foreign.region.address() + base;
        // What was asked for and no more: what the slot says beyond it was not checked.
        iova = address;
        size = length;
        base = at;
        access = rights;
        key = wanted;
        return at;
    }

    /** Checks an access against what the table says now and against what is mapped; every word is read once. */
    private boolean locateForeign(Foreign foreign, int wanted, long address, long length, int rights) {
        clear();
        long found = find(wanted, rights);
        if (found != 0 && MemorySlot.base(found) == 0) {
            return false; // for its own process, too, only through checked access
        }
        MemorySegment memory = found == 0 ? null : foreign.memory.known(wanted, MemorySlot.base(found));
        if (found != 0 && memory == null) {
            foreign.memory.map(wanted, MemorySlot.base(found));
        }
        if (memory == null) {
            return false;
        }
        long start = MemorySlot.start(found);
        long bytes = MemorySlot.length(found);
        long offset = address - MemorySlot.iova(found);
        if (bytes < 0 || start < 0 || start > memory.byteSize() - bytes
                || offset < 0 || length < 0 || offset > bytes - length) {
            return false;
        }
        foreign.region = memory;
        base = start + offset;
        return true;
    }

    /** The slot of a key that grants some rights to this role, or 0. */
    private long find(int wanted, int rights) {
        long found = wanted == 0 ? 0 : table.find(wanted, role >>> PEER_BITS, domain);
        if (found == 0) {
            return 0;
        }
        // Before anything else of the slot: what belongs to others may be changing now. 0 and less: to nobody alone.
        int owner = MemorySlot.owner(found);
        boolean allowed = owner <= 0 || owner == (role & PEER_MASK);
        return allowed && (MemorySlot.access(found) & rights) == rights ? found : 0;
    }

    /** Forgets the key remembered, and notes where an access is instead. */
    private void note(long found, long distance) {
        clear();
        region = MemorySlot.region(found);
        base = distance + MemorySlot.start(found);
        iova = MemorySlot.length(found);
    }

    /**
     * Finds all the memory that a key opens; see {@link #segment()}, {@link #offset()} and {@link #length()}.
     *
     * @param wanted the key presented
     * @param rights bits of Access that are needed
     * @return whether the access is allowed
     */
    public boolean locateAll(int wanted, int rights) {
        // Of another process only what an access names is mapped, and checked.
        long found = regions instanceof Foreign ? 0 : find(wanted, rights);
        if (found == 0) {
            clear();
            return false;
        }
        note(found, 0);
        return true;
    }

    /**
     * How long the memory is that {@link #locateAll} found.
     *
     * @return bytes
     */
    public long length() {
        return iova;
    }

    /**
     * Finds the segment of an access, whether or not its raw address may be used; see {@link #segment()}.
     *
     * @param wanted the key presented
     * @param address first byte, as the region's iova counts
     * @param length bytes, 1 or more
     * @param rights bits of Access that are needed
     * @return whether the access is allowed
     */
    public boolean locate(int wanted, long address, long length, int rights) {
        if (regions instanceof Foreign elsewhere) {
            return locateForeign(elsewhere, wanted, address, length, rights);
        }
        long found = find(wanted, rights);
        if (found == 0 || !MemorySlot.covers(found, address, length)) {
            clear();
            return false;
        }
        note(found, address - MemorySlot.iova(found));
        return true;
    }

    /**
     * The memory of the access that {@link #translate} answered with {@link #CHECKED}, or {@link #locate} allowed.
     *
     * @return the region's segment
     */
    public MemorySegment segment() {
        return regions.segment(region);
    }

    /**
     * Where the access that {@link #translate} answered with {@link #CHECKED}, or {@link #locate} allowed, starts.
     *
     * @return bytes from the start of {@link #segment()}
     */
    public long offset() {
        return base;
    }
}
