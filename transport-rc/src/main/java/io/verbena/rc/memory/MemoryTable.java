package io.verbena.rc.memory;

import static io.verbena.rc.memory.MemorySlotLayout.ACCESS_OFFSET;
import static io.verbena.rc.memory.MemorySlotLayout.BASE_OFFSET;
import static io.verbena.rc.memory.MemorySlotLayout.BEYOND_OFFSET;
import static io.verbena.rc.memory.MemorySlotLayout.DOMAIN_OFFSET;
import static io.verbena.rc.memory.MemorySlotLayout.EMPTY;
import static io.verbena.rc.memory.MemorySlotLayout.EPOCH_OFFSET;
import static io.verbena.rc.memory.MemorySlotLayout.HEADER_BYTES;
import static io.verbena.rc.memory.MemorySlotLayout.IOVA_OFFSET;
import static io.verbena.rc.memory.MemorySlotLayout.LENGTH_OFFSET;
import static io.verbena.rc.memory.MemorySlotLayout.LINK_OFFSET;
import static io.verbena.rc.memory.MemorySlotLayout.OWNER_OFFSET;
import static io.verbena.rc.memory.MemorySlotLayout.PREFIX_SHIFT;
import static io.verbena.rc.memory.MemorySlotLayout.REGION_OFFSET;
import static io.verbena.rc.memory.MemorySlotLayout.REVOKED;
import static io.verbena.rc.memory.MemorySlotLayout.SLOT_BYTES;
import static io.verbena.rc.memory.MemorySlotLayout.SLOT_SHIFT;
import static io.verbena.rc.memory.MemorySlotLayout.START_OFFSET;
import static io.verbena.rc.memory.MemorySlotLayout.TAG_OFFSET;
import static io.verbena.rc.memory.MemorySlotLayout.TOMBSTONE;

import java.util.Objects;
import java.util.function.IntSupplier;
import org.agrona.UnsafeApi;

/**
 * The keys of one device and what they open: a hash table in native memory with the protection check of verbs.
 *
 * <p>Two sides use it. The <em>control plane</em> ({@link #insert}, {@link #revoke}, {@link #reinstate},
 * {@link #release}, {@link #size}) is one caller at a time. The <em>data path</em> ({@link #find}, {@link #epoch} and
 * {@link MemorySlot}) runs at the same time on any thread, without lock or allocation.
 *
 * <p>What makes that safe:
 * <ol>
 *   <li>insert and reinstate write the contents first and publish the key last with a release store; find loads the
 *       key with acquire, so it sees the contents whole;
 *   <li>a slot found stays as it is until {@link #release} or {@link #reinstate} of its key. The caller calls those
 *       only after every access that may have found the slot is over: a reader enters a guard of the caller's with a
 *       volatile (sequentially consistent) store <em>before</em> it calls find or compares a remembered epoch, and
 *       leaves it after its last access; the caller revokes, then waits until each guard was seen free once. revoke
 *       ends with a full fence, so that either the reader misses the key or the caller sees the guard;
 *   <li>a reader may remember a slot across guards together with the epoch it loaded <em>before</em> the find, and use
 *       it again as long as {@link #epoch()}, loaded inside the new guard, is the same. That a key was not found must
 *       not be remembered: insert does not change the epoch.
 * </ol>
 *
 * <p>Open addressing with linear probing over a power of two of slots, at most half of them in use. Live slots never
 * move. Every slot counts the keys that lie beyond it, seen from their home slots. A free slot is a tombstone while
 * that count is not 0, and empty otherwise; inserts reuse both. So a probe passes only slots that some key in use
 * needs, however many keys came and went. (Clearing tombstones only from the end of a run, as is common, is not
 * enough: under churn at full load the last empty slot disappears, and then none can ever come back.)
 *
 * <p>Memory windows ({@link #windows()}) have slots here too. Whoever binds one chooses the low 8 bits of its key, so
 * the home slot follows from the high 24 bits alone, and those of a window are shared with no other key. A window is
 * bound and unbound on the data path; for it the second rule above is kept by whoever unbinds it.
 */
public final class MemoryTable {
    /** Kind of a key: an lkey, for work requests of the owner. */
    public static final int LOCAL = 1;
    /** Kind of a key: an rkey, for peers. */
    public static final int REMOTE = 2;

    /** The most keys a table may be made for. */
    private static final int MAX_KEYS = 1 << 24;
    /** A sound source needs more draws than this about never: each is refused with a chance below 1/128. */
    private static final int MAX_DRAWS = 1_000;
    /** 2^32 divided by the golden ratio: spreads keys that differ in few bits over all slots. */
    private static final int SPREAD = 0x9E37_79B9;

    private final long epochAddress;
    private final long slotsAddress;
    private final int mask;
    private final int homeShift;
    private final int maxKeys;
    private final IntSupplier keySource;
    private final RetiredKeys retired = new RetiredKeys();
    private final RetiredKeys retiredPrefixes = new RetiredKeys();
    private final MemoryWindows windows = new MemoryWindows(this);
    private int size;

    /**
     * Makes an empty table.
     *
     * @param storageAddress zeroed native memory of {@link #bytesFor} bytes, aligned to 64; stays the caller's, who
     *     keeps it alive as long as the table or a slot address is in use
     * @param maxKeys keys that can be live or revoked at the same time, 1 to 2^24
     * @param keySource unpredictable 32-bit values; called under the control plane's serialisation
     * @throws IllegalArgumentException for another maxKeys or address
     */
    public MemoryTable(long storageAddress, int maxKeys, IntSupplier keySource) {
        int slots = slotsFor(maxKeys);
        if (storageAddress == 0 || (storageAddress & SLOT_BYTES - 1) != 0) {
            throw new IllegalArgumentException("storage address is 0x" + Long.toHexString(storageAddress)
                    + "; allowed: a multiple of " + SLOT_BYTES + " other than 0");
        }
        this.maxKeys = maxKeys;
        this.keySource = Objects.requireNonNull(keySource, "keySource");
        epochAddress = storageAddress + EPOCH_OFFSET;
        slotsAddress = storageAddress + HEADER_BYTES;
        mask = slots - 1;
        homeShift = Integer.numberOfLeadingZeros(mask);
        assert UnsafeApi.getLong(epochAddress) == 0 && tagAt(0) == EMPTY && tagAt(mask) == EMPTY : "storage not zeroed";
        UnsafeApi.putLongRelease(null, epochAddress, 1);
    }

    private MemoryTable(long storageAddress, int maxKeys) {
        this.maxKeys = maxKeys;
        keySource = () -> 0;
        epochAddress = storageAddress + EPOCH_OFFSET;
        slotsAddress = storageAddress + HEADER_BYTES;
        mask = slotsFor(maxKeys) - 1;
        homeShift = Integer.numberOfLeadingZeros(mask);
    }

    /**
     * Looks at the table of another process. Only the data path may be used. Whatever the storage holds, {@link #find}
     * ends and returns a slot inside it; the slot's contents may be anything, and change at any time.
     *
     * @param storageAddress memory of {@link #bytesFor} bytes that the table was made in, aligned to 64; stays the
     *     caller's
     * @param maxKeys what the table was made for
     * @return a view
     */
    public static MemoryTable viewOf(long storageAddress, int maxKeys) {
        return new MemoryTable(storageAddress, maxKeys);
    }

    /**
     * The storage a table needs.
     *
     * @param maxKeys keys that can be live or revoked at the same time, 1 to 2^24
     * @return bytes
     * @throws IllegalArgumentException for another maxKeys
     */
    public static long bytesFor(int maxKeys) {
        return HEADER_BYTES + ((long) slotsFor(maxKeys) << SLOT_SHIFT);
    }

    private static int slotsFor(int maxKeys) {
        if (maxKeys < 1 || maxKeys > MAX_KEYS) {
            throw new IllegalArgumentException("maxKeys is " + maxKeys + "; allowed: 1 to " + MAX_KEYS);
        }
        return Integer.highestOneBit(2 * maxKeys - 1) << 1;
    }

    // --- control plane: one caller at a time ---

    /**
     * Makes a new key. It can be found as soon as this returns.
     *
     * @param entry what the key opens
     * @param kind {@link #LOCAL} or {@link #REMOTE}
     * @return a key from the key source: not 0, not live or revoked, not among the last 65,536 released ones
     * @throws IllegalStateException when maxKeys keys are in use, or when the key source offers no usable key
     */
    public int insert(MemoryEntry entry, int kind) {
        if (kind != LOCAL && kind != REMOTE) {
            throw new IllegalArgumentException("kind is " + kind + "; allowed: LOCAL or REMOTE");
        }
        requireRoom();
        int key = freshKey(false);
        long slot = claim(key);
        fill(slot, entry);
        putTag(slot, MemorySlotLayout.tag(key, kind));
        size++;
        assert find(key, kind, entry.domain()) == slot : "a new key is not found";
        return key;
    }

    /**
     * Makes a live key unknown to {@link #find} at once and moves the epoch on. The slot keeps its contents until
     * {@link #reinstate} or {@link #release}; accesses that found it before go on until the caller has waited for them.
     *
     * @param key a live key
     * @throws IllegalArgumentException when it is not live
     */
    public void revoke(int key) {
        long slot = locate(key);
        long tag = slot == 0 ? EMPTY : UnsafeApi.getLong(slot + TAG_OFFSET);
        if (tag <= 0) {
            throw new IllegalArgumentException(describe(key) + " is not live; it may be revoked or released already");
        }
        putTag(slot, tag | REVOKED);
        moveEpoch();
        // Before the caller looks at guards: either a reader sees the key gone, or the caller sees the reader.
        UnsafeApi.fullFence();
    }

    /**
     * Makes a revoked key work again, with new contents and of the same kind (reregistration). The caller has waited
     * for accesses in flight.
     *
     * @param key a revoked key
     * @param entry what it opens from now on
     * @throws IllegalArgumentException when the key is not revoked
     */
    public void reinstate(int key, MemoryEntry entry) {
        long slot = locateRevoked(key);
        fill(slot, entry);
        putTag(slot, UnsafeApi.getLong(slot + TAG_OFFSET) & ~REVOKED);
    }

    /**
     * Frees the slot of a revoked key for reuse and retires the key. The caller has waited for accesses in flight.
     *
     * @param key a revoked key
     * @throws IllegalArgumentException when the key is not revoked
     */
    public void release(int key) {
        long slot = locateRevoked(key);
        // Should anyone break the contract and still hold the slot, it covers nothing.
        UnsafeApi.putLong(slot + LENGTH_OFFSET, 0);
        unclaim(key, slot);
        retired.add(key);
        size--;
        assert size >= 0 && locate(key) == 0 : "a released key is still in the table";
    }

    /**
     * Keys in use.
     *
     * @return keys live or revoked, 0 to maxKeys
     */
    public int size() {
        return size;
    }

    /**
     * The memory windows of this table.
     *
     * @return never null
     */
    public MemoryWindows windows() {
        return windows;
    }

    private void requireRoom() {
        if (size == maxKeys) {
            throw new IllegalStateException("all " + maxKeys + " keys are in use; release some or make a larger table");
        }
    }

    /** Takes a slot for a window that is not bound; its key's high 24 bits are nobody else's. */
    long insertWindow(int domain, int owner) {
        requireRoom();
        int key = freshKey(true);
        long slot = claim(key);
        fill(slot, new MemoryEntry(domain, 0, 0, 0, 0, 0));
        UnsafeApi.putInt(slot + OWNER_OFFSET, owner);
        putTag(slot, REVOKED | MemorySlotLayout.tag(key, REMOTE));
        size++;
        return slot;
    }

    /** Frees the slot of a window and retires all keys that it could have. */
    void releaseWindow(long slot) {
        int key = MemorySlotLayout.keyOf(UnsafeApi.getLong(slot + TAG_OFFSET));
        UnsafeApi.putLong(slot + LENGTH_OFFSET, 0);
        UnsafeApi.putInt(slot + OWNER_OFFSET, 0);
        unclaim(key, slot);
        retiredPrefixes.add(key >>> PREFIX_SHIFT);
        size--;
    }

    /** Makes every reader look up again what it remembers; by any thread. */
    void moveEpoch() {
        UnsafeApi.getAndAddLong(null, epochAddress, 1);
    }

    private int freshKey(boolean forWindow) {
        for (int draw = 0; draw < MAX_DRAWS; draw++) {
            int key = keySource.getAsInt();
            boolean usable = forWindow ? key >>> PREFIX_SHIFT != 0 && !retired.containsLike(key)
                    : key != 0 && !retired.contains(key) && locate(key) == 0;
            if (usable && !retiredPrefixes.contains(key >>> PREFIX_SHIFT) && !isPrefixTaken(key, forWindow)) {
                return key;
            }
        }
        // Making one up here would make keys predictable.
        throw new IllegalStateException("the key source offered no usable key in " + MAX_DRAWS + " draws");
    }

    /** Whether a window, or anything at all, has a key with the same high 24 bits. */
    private boolean isPrefixTaken(int key, boolean byAnything) {
        int index = home(key);
        for (int probe = 0; probe <= mask && tagAt(index) != EMPTY; probe++) {
            boolean same = tagAt(index) != TOMBSTONE
                    && MemorySlotLayout.keyOf(tagAt(index)) >>> PREFIX_SHIFT == key >>> PREFIX_SHIFT;
            if (same && (byAnything || MemorySlot.owner(slotAt(index)) != 0)) {
                return true;
            }
            index = index + 1 & mask;
        }
        return false;
    }

    /** Takes the first free slot from the key's home on; notes in the slots before it that the key lies beyond. */
    private long claim(int key) {
        int index = home(key);
        for (long tag = tagAt(index); tag != EMPTY && tag != TOMBSTONE; tag = tagAt(index)) {
            addBeyond(slotAt(index), 1);
            index = index + 1 & mask;
        }
        return slotAt(index);
    }

    /** Frees the slot of a key, and empties what only this key needed. */
    private void unclaim(int key, long slot) {
        int index = home(key);
        while (slotAt(index) != slot) {
            if (addBeyond(slotAt(index), -1) == 0 && tagAt(index) == TOMBSTONE) {
                putTag(slotAt(index), EMPTY);
            }
            index = index + 1 & mask;
        }
        putTag(slot, addBeyond(slot, 0) == 0 ? EMPTY : TOMBSTONE);
    }

    private static int addBeyond(long slot, int change) {
        int beyond = UnsafeApi.getInt(slot + BEYOND_OFFSET) + change;
        assert beyond >= 0 : "more keys left than came";
        UnsafeApi.putInt(slot + BEYOND_OFFSET, beyond);
        return beyond;
    }

    /** The slot of a live or revoked key, or 0. */
    private long locate(int key) {
        if (key == 0) {
            return 0;
        }
        int index = home(key);
        for (int probe = 0; probe <= mask; probe++) {
            long tag = tagAt(index);
            if (MemorySlotLayout.keyOf(tag) == key) {
                return slotAt(index);
            }
            if (tag == EMPTY) {
                return 0;
            }
            index = index + 1 & mask;
        }
        return 0;
    }

    private long locateRevoked(int key) {
        long slot = locate(key);
        if (slot == 0 || (UnsafeApi.getLong(slot + TAG_OFFSET) & REVOKED) == 0) {
            throw new IllegalArgumentException(describe(key) + " is not revoked; revoke it first and release it once");
        }
        return slot;
    }

    private static String describe(int key) {
        return String.format("key 0x%08x", key);
    }

    private static void fill(long slot, MemoryEntry entry) {
        UnsafeApi.putInt(slot + DOMAIN_OFFSET, entry.domain());
        UnsafeApi.putInt(slot + ACCESS_OFFSET, entry.access());
        UnsafeApi.putLong(slot + IOVA_OFFSET, entry.iova());
        UnsafeApi.putLong(slot + LENGTH_OFFSET, entry.length());
        UnsafeApi.putLong(slot + BASE_OFFSET, entry.base());
        UnsafeApi.putInt(slot + REGION_OFFSET, entry.region());
        UnsafeApi.putInt(slot + OWNER_OFFSET, 0);
        UnsafeApi.putInt(slot + LINK_OFFSET, 0);
        UnsafeApi.putLong(slot + START_OFFSET, 0);
    }

    private long tagAt(int index) {
        return UnsafeApi.getLong(slotAt(index) + TAG_OFFSET);
    }

    private static void putTag(long slot, long tag) {
        UnsafeApi.putLongRelease(null, slot + TAG_OFFSET, tag);
    }

    // --- data path: any thread ---

    /**
     * A number that changes whenever a slot that {@link #find} returned before may no longer be used. An acquire load.
     *
     * @return 1 or more; never the same again after a change
     */
    public long epoch() {
        return UnsafeApi.getLongAcquire(null, epochAddress);
    }

    /**
     * Looks a key up. Rights and range are the caller's to check, with {@link MemorySlot#access} and
     * {@link MemorySlot#covers}.
     *
     * @param key any 32 bits, from anywhere
     * @param kind {@link #LOCAL} or {@link #REMOTE}, never from outside
     * @param domain the protection domain of the queue pair
     * @return the slot's address; 0 when the key is unknown, of the other kind, revoked, or of another domain
     */
    public long find(int key, int kind, int domain) {
        assert kind == LOCAL || kind == REMOTE : kind;
        long wanted = MemorySlotLayout.tag(key, kind);
        int index = home(key);
        for (int probe = 0; probe <= mask; probe++) {
            long slot = slotAt(index);
            long tag = UnsafeApi.getLongAcquire(null, slot + TAG_OFFSET);
            if (tag == wanted) {
                return UnsafeApi.getInt(slot + DOMAIN_OFFSET) == domain ? slot : 0;
            }
            if (tag == EMPTY) {
                return 0;
            }
            index = index + 1 & mask;
        }
        return 0;
    }

    /**
     * Looks a key up whatever its kind and domain; by the control plane.
     *
     * @param key any 32 bits, from anywhere
     * @return the slot's address; 0 when the key is unknown or revoked
     */
    public long findAny(int key) {
        long slot = locate(key);
        return slot != 0 && UnsafeApi.getLongAcquire(null, slot + TAG_OFFSET) > 0 ? slot : 0;
    }

    /** By the high 24 bits alone, since those who bind windows choose the others. */
    private int home(int key) {
        return (key >>> PREFIX_SHIFT) * SPREAD >>> homeShift;
    }

    long slotAt(int index) {
        return slotsAddress + ((long) index << SLOT_SHIFT);
    }

    int indexOf(long slot) {
        return (int) (slot - slotsAddress >>> SLOT_SHIFT);
    }

    @Override
    public String toString() {
        return "MemoryTable[size=" + size + " of " + maxKeys + ", slots=" + (mask + 1) + ", epoch=" + epoch() + ']';
    }
}
