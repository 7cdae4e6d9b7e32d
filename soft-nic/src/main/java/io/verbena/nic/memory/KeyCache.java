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
        long found = wanted == 0 ? 0 : table.find(wanted, kind, domain);
        if (found == 0 || !MemoryTable.covers(found, address, length)
                || (MemoryTable.access(found) & rights) != rights) {
            return FAULT;
        }
        slot = found;
        offset = address - MemoryTable.iova(found);
        if (MemoryTable.base(found) == 0) {
            return CHECKED;
        }
        iova = MemoryTable.iova(found);
        size = MemoryTable.length(found);
        base = MemoryTable.base(found);
        access = MemoryTable.access(found);
        key = wanted;
        return base + offset;
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
