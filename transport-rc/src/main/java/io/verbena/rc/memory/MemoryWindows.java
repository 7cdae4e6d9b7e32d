package io.verbena.rc.memory;

import static io.verbena.rc.memory.MemorySlotLayout.ACCESS_OFFSET;
import static io.verbena.rc.memory.MemorySlotLayout.BASE_OFFSET;
import static io.verbena.rc.memory.MemorySlotLayout.BINDING;
import static io.verbena.rc.memory.MemorySlotLayout.CLOSED;
import static io.verbena.rc.memory.MemorySlotLayout.DOMAIN_OFFSET;
import static io.verbena.rc.memory.MemorySlotLayout.IOVA_OFFSET;
import static io.verbena.rc.memory.MemorySlotLayout.LEAVING;
import static io.verbena.rc.memory.MemorySlotLayout.LENGTH_OFFSET;
import static io.verbena.rc.memory.MemorySlotLayout.LINK_OFFSET;
import static io.verbena.rc.memory.MemorySlotLayout.OWNER_OFFSET;
import static io.verbena.rc.memory.MemorySlotLayout.PREFIX_SHIFT;
import static io.verbena.rc.memory.MemorySlotLayout.REGION_OFFSET;
import static io.verbena.rc.memory.MemorySlotLayout.REVOKED;
import static io.verbena.rc.memory.MemorySlotLayout.START_OFFSET;
import static io.verbena.rc.memory.MemorySlotLayout.TAG_OFFSET;

import io.verbena.verbs.Access;
import org.agrona.UnsafeApi;

/**
 * The memory windows of a {@link MemoryTable}. A window has its slot from {@link #insert} to {@link #release}, so that
 * binding it on the data path needs neither lock nor memory: it fills the slot and publishes the key by the tag.
 *
 * <p>The tag is the state, and every change of it is one compare-and-set: free, binding, bound, leaving (unknown to
 * {@link MemoryTable#find}, but who found it before may still be at work), free again. {@link #close} wins over
 * everybody: whoever comes second finds the tag changed and leaves the rest to {@link #release}.
 *
 * <p>Who unbinds waits, between {@link #beginUnbind} and {@link #endUnbind}, until nobody can be using the key any
 * more, and bumps whatever makes readers look keys up again. A reader that reads {@link MemorySlot#owner} before all
 * else, and goes on only if it is allowed to, needs no more care: binding writes the owner last, and for those who are
 * allowed, unbinding waits.
 *
 * <p>The key of a region knows how many windows are bound to it ({@link #hold}, {@link #drop}); {@link #sealRegion}
 * refuses while there are any. Control calls, one at a time: insert, close, release, sealRegion. All others are for the
 * data path: any thread, no lock, no allocation, nothing thrown.
 */
public final class MemoryWindows {
    /** Owner of a type 1 window: every queue pair of the domain. */
    public static final int ANYBODY = -1;
    /** Owner of a type 2 window that is not bound. */
    public static final int NOBODY = -2;

    private static final long STATE_BITS = REVOKED | BINDING | LEAVING | CLOSED;
    private static final int SEALED = Integer.MIN_VALUE;
    private static final int FLUSHES = Access.FLUSH_GLOBAL | Access.FLUSH_PERSISTENT;
    private static final int WRITES = Access.REMOTE_WRITE | Access.REMOTE_ATOMIC;

    private final MemoryTable table;

    MemoryWindows(MemoryTable table) {
        this.table = table;
    }

    // --- control plane: one caller at a time ---

    /**
     * Makes a window that is not bound.
     *
     * @param domain its protection domain
     * @param owner {@link #ANYBODY} for type 1, {@link #NOBODY} for type 2
     * @return its slot
     * @throws IllegalStateException when the table is full
     */
    public long insert(int domain, int owner) {
        return table.insertWindow(domain, owner);
    }

    /**
     * Takes a window from everybody: its key is unknown from now on and nobody binds it any more. Afterwards the caller
     * waits for accesses in flight, then calls {@link #release}.
     *
     * @param slot the window
     */
    public void close(long slot) {
        long tag;
        long closed;
        do {
            tag = tag(slot);
            closed = tag | REVOKED | CLOSED | ((tag & STATE_BITS) == 0 ? LEAVING : 0);
        } while (!UnsafeApi.compareAndSetLong(null, slot + TAG_OFFSET, tag, closed));
        table.moveEpoch();
    }

    /**
     * Frees the slot of a closed window, and lets go of the region it was bound to.
     *
     * @param slot the window
     */
    public void release(long slot) {
        if ((tag(slot) & LEAVING) != 0) {
            drop(table.slotAt(UnsafeApi.getInt(slot + LINK_OFFSET)));
        }
        table.releaseWindow(slot);
    }

    /**
     * Unbinds a window at once if it is bound to a queue pair that has gone, and whose peer has no access in flight.
     *
     * @param slot the window
     * @param owner the queue pair's number
     */
    public void unbindIfOwnedBy(long slot, int owner) {
        if (MemorySlot.owner(slot) == owner) {
            long leaving = beginUnbind(slot, key(slot));
            if (leaving != 0) {
                endUnbind(slot, leaving, false);
            }
        }
    }

    /**
     * Keeps windows from being bound to a region from now on, until its lkey is released or reinstated.
     *
     * @param slot of the region's lkey
     * @return false when windows are bound to it; then nothing has changed
     */
    public static boolean sealRegion(long slot) {
        return UnsafeApi.compareAndSetInt(null, slot + LINK_OFFSET, 0, SEALED);
    }

    // --- data path ---

    /**
     * The key of a window: the one it is bound under, or was last.
     *
     * @param slot the window
     * @return 32 bits
     */
    public static int key(long slot) {
        return MemorySlotLayout.keyOf(tag(slot));
    }

    /**
     * Whether a slot still is the window that a key belongs to. Holds until the guard is left in which it was asked.
     *
     * @param slot what {@link #insert} returned once
     * @param key one of the window's keys
     * @param domain the asking queue pair's domain
     * @return false when the window was closed, or is of another domain
     */
    public static boolean isWindow(long slot, int key, int domain) {
        long tag = tag(slot);
        return (tag & CLOSED) == 0 && MemorySlotLayout.keyOf(tag) >>> PREFIX_SHIFT == key >>> PREFIX_SHIFT
                && MemorySlot.owner(slot) != 0 && UnsafeApi.getInt(slot + DOMAIN_OFFSET) == domain;
    }

    /**
     * Whether a window is bound to nothing, and nobody is about to change that.
     *
     * @param slot the window
     * @return false while it is bound, being bound, being unbound or closed
     */
    public static boolean isFree(long slot) {
        return (tag(slot) & STATE_BITS) == REVOKED;
    }

    /**
     * Whether a window is bound, so that its key opens something; a snapshot.
     *
     * @param slot the window
     * @return false while it is free, being bound, being unbound or closed
     */
    public static boolean isBound(long slot) {
        return (tag(slot) & STATE_BITS) == 0;
    }

    /**
     * Whether a window may be bound to a part of a region (ibv_bind_mw(3), IBA 10.6.7.2).
     *
     * @param region slot of the region's lkey
     * @param address first byte, as the region's iova counts
     * @param length bytes
     * @param access rights of the window
     * @return false without MW_BIND, outside the region, on a zero-based region, for an empty window, for rights that
     *     windows do not have, for a window to write through on a region that its owner may not write, and for one to
     *     flush that may not be flushed so by the region's own key
     */
    public static boolean mayBind(long region, long address, long length, int access) {
        int granted = MemorySlot.access(region);
        return (granted & (Access.MW_BIND | Access.ZERO_BASED)) == Access.MW_BIND
                && (access & ~(WRITES | FLUSHES | Access.REMOTE_READ | Access.ZERO_BASED)) == 0
                && (access & FLUSHES & ~granted) == 0
                && ((access & WRITES) == 0 || (granted & Access.LOCAL_WRITE) != 0)
                && length != 0 && MemorySlot.covers(region, address, length);
    }

    /**
     * Counts one more window of a region, which keeps the region.
     *
     * @param region slot of the region's lkey, found in the present guard
     * @return false when the region is about to go
     */
    public static boolean hold(long region) {
        for (;;) {
            int count = UnsafeApi.getIntAcquire(null, region + LINK_OFFSET);
            if (count < 0) {
                return false;
            }
            if (UnsafeApi.compareAndSetInt(null, region + LINK_OFFSET, count, count + 1)) {
                return true;
            }
        }
    }

    /**
     * Counts one window of a region less.
     *
     * @param region slot of the region's lkey
     */
    public static void drop(long region) {
        int before = UnsafeApi.getAndAddInt(null, region + LINK_OFFSET, -1);
        assert before > 0 : "more windows left than came";
    }

    /**
     * From free to binding.
     *
     * @param slot the window
     * @return false when it is not free
     */
    public static boolean beginBind(long slot) {
        long tag = tag(slot);
        return (tag & STATE_BITS) == REVOKED
                && UnsafeApi.compareAndSetLong(null, slot + TAG_OFFSET, tag, tag | BINDING);
    }

    /**
     * From binding back to free, unless the window was closed meanwhile.
     *
     * @param slot the window
     */
    public static void cancelBind(long slot) {
        long tag = tag(slot);
        if ((tag & STATE_BITS) == (REVOKED | BINDING)) {
            UnsafeApi.compareAndSetLong(null, slot + TAG_OFFSET, tag, tag & ~BINDING);
        }
    }

    /**
     * From binding to bound: the key can be found as soon as this returns.
     *
     * @param slot the window
     * @param key its new key
     * @param owner {@link #ANYBODY} or the number of the queue pair that binds it
     * @param region slot of the region's lkey, held
     * @param address first byte, as the region's iova counts
     * @param length bytes
     * @param access rights; with ZERO_BASED peers count from the window's first byte
     * @return false when the window was closed meanwhile; then the region is still held
     */
    public boolean publish(long slot, int key, int owner, long region, long address, long length, int access) {
        long start = address - MemorySlot.iova(region);
        long base = MemorySlot.base(region);
        UnsafeApi.putInt(slot + ACCESS_OFFSET, access);
        UnsafeApi.putLong(slot + IOVA_OFFSET, (access & Access.ZERO_BASED) != 0 ? 0 : address);
        UnsafeApi.putLong(slot + LENGTH_OFFSET, length);
        UnsafeApi.putLong(slot + BASE_OFFSET, base == 0 ? 0 : base + start);
        UnsafeApi.putInt(slot + REGION_OFFSET, MemorySlot.region(region));
        UnsafeApi.putLong(slot + START_OFFSET, start);
        UnsafeApi.putInt(slot + LINK_OFFSET, table.indexOf(region));
        // Release: after the contents; pairs with the acquire in MemorySlot.owner.
        UnsafeApi.putIntRelease(null, slot + OWNER_OFFSET, owner);
        long tag = tag(slot);
        return (tag & STATE_BITS) == (REVOKED | BINDING)
                && UnsafeApi.compareAndSetLong(
                        null, slot + TAG_OFFSET, tag, MemorySlotLayout.tag(key, MemoryTable.REMOTE));
    }

    /**
     * From bound to leaving: nobody finds the key from now on.
     *
     * @param slot the window
     * @param key the key it must be bound under
     * @return what {@link #endUnbind} wants; 0 when the window is not bound under that key
     */
    public long beginUnbind(long slot, int key) {
        long bound = MemorySlotLayout.tag(key, MemoryTable.REMOTE);
        long leaving = bound | REVOKED | LEAVING;
        if (!UnsafeApi.compareAndSetLong(null, slot + TAG_OFFSET, bound, leaving)) {
            return 0;
        }
        table.moveEpoch();
        return leaving;
    }

    /**
     * From leaving to free or binding, once no access through the key is in flight; lets go of the region.
     *
     * @param slot the window
     * @param leaving what {@link #beginUnbind} returned
     * @param rebind whether it is bound anew
     * @return false when the window was closed meanwhile
     */
    public boolean endUnbind(long slot, long leaving, boolean rebind) {
        // The link is read first: once free, the slot may be filled by others.
        int link = UnsafeApi.getInt(slot + LINK_OFFSET);
        long next = leaving & ~LEAVING | (rebind ? BINDING : 0);
        if (!UnsafeApi.compareAndSetLong(null, slot + TAG_OFFSET, leaving, next)) {
            return false;
        }
        drop(table.slotAt(link));
        return true;
    }

    private static long tag(long slot) {
        return UnsafeApi.getLongAcquire(null, slot + TAG_OFFSET);
    }
}
