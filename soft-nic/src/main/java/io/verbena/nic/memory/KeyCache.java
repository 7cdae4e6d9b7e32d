package io.verbena.nic.memory;

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

    private final int kind;
    private final int peer;
    private MemoryTable table;
    private RegionTable regions;
    private int domain;
    private int key;
    private int access;
    private long iova;
    /** Bytes the remembered key opens; -1 while none is remembered, so that no access fits, not even one by key 0. */
    private long size = -1;
    private long base;
    private long slot;
    private long offset;

    /**
     * Makes an empty cache.
     *
     * @param table where keys are looked up
     * @param regions where checked memory is found
     * @param kind {@link MemoryTable#LOCAL} or {@link MemoryTable#REMOTE}
     * @param domain the protection domain that keys must belong to
     */
    public KeyCache(MemoryTable table, RegionTable regions, int kind, int domain) {
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
    public KeyCache(MemoryTable table, RegionTable regions, int kind, int domain, int peer) {
        this.peer = peer;
        this.table = table;
        this.regions = regions;
        this.kind = kind;
        this.domain = domain;
    }

    /** Looks keys up elsewhere from now on; for a cache that serves many receivers in turn. */
    public void bind(MemoryTable newTable, RegionTable newRegions, int newDomain) {
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

    private long lookUp(int wanted, long address, long length, int rights) {
        clear();
        long found = find(wanted, rights);
        if (found == 0 || !MemoryTable.covers(found, address, length)) {
            return FAULT;
        }
        slot = found;
        offset = address - MemoryTable.iova(found) + MemoryTable.start(found);
        if (MemoryTable.base(found) == 0) {
            return CHECKED;
        }
        iova = MemoryTable.iova(found);
        size = MemoryTable.length(found);
        base = MemoryTable.base(found);
        access = MemoryTable.access(found);
        key = wanted;
        return base + address - iova;
    }

    /** The slot of a key that grants some rights to this role, or 0. */
    private long find(int wanted, int rights) {
        long found = wanted == 0 ? 0 : table.find(wanted, kind, domain);
        if (found == 0) {
            return 0;
        }
        // Before anything else of the slot: what belongs to others may be changing now. 0 and less: to nobody alone.
        int owner = MemoryTable.owner(found);
        return (owner <= 0 || owner == peer) && (MemoryTable.access(found) & rights) == rights ? found : 0;
    }

    /**
     * Finds all the memory that a key opens; see {@link #segment()}, {@link #offset()} and {@link #length()}.
     *
     * @param wanted the key presented
     * @param rights bits of Access that are needed
     * @return whether the access is allowed
     */
    public boolean locateAll(int wanted, int rights) {
        clear();
        long found = find(wanted, rights);
        if (found == 0) {
            return false;
        }
        slot = found;
        offset = MemoryTable.start(found);
        return true;
    }

    /**
     * How long the memory is that {@link #locateAll} found.
     *
     * @return bytes
     */
    public long length() {
        return MemoryTable.length(slot);
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
        return lookUp(wanted, address, length, rights) != FAULT;
    }

    /**
     * The memory of the access that {@link #translate} answered with {@link #CHECKED}.
     *
     * @return the region's segment
     */
    public MemorySegment segment() {
        return regions.segment(MemoryTable.region(slot));
    }

    /**
     * Where the access that {@link #translate} answered with {@link #CHECKED} starts.
     *
     * @return bytes from the start of {@link #segment()}
     */
    public long offset() {
        return offset;
    }
}
