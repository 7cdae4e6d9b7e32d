package io.verbena.nic.ring;

import io.verbena.nic.memory.Fences;
import io.verbena.nic.memory.Guard;
import io.verbena.nic.memory.OffHeap;
import io.verbena.rc.memory.MemorySlot;
import io.verbena.rc.memory.MemoryTable;
import io.verbena.verbs.Access;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.ReceiveRequests;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * Posted receives. The peer reads one word, the posted word: receives posted so far (bits 8-63) and the eager length
 * (bits 0-7), the longest message that fits every receive not polled yet and whose keys were good when posted.
 *
 * <p>In safe mode a poster reserves an index by compare-and-set, fills the entry, marks it, and then moves the posted
 * word over every marked entry: whoever closes the gap publishes for all, so nobody waits for anybody.
 */
public final class ReceiveQueue extends ReceiveQueueFields {
    /** In {@link #howHot}: the poller looks at the lane unasked. */
    static final int POLLED = 1;
    /** In {@link #howHot}: the completion queue may be armed, so look whether it is. */
    static final int ARMABLE = 1 << 1;

    private static final int EAGER_BITS = 8;
    private static final long EAGER_MASK = (1 << EAGER_BITS) - 1;
    private static final long CLOSED = Long.MIN_VALUE;
    private static final int INDEX_SHIFT = 16;
    private static final long IN_FLIGHT_MASK = (1 << INDEX_SHIFT) - 1;
    private static final long PARK_NS = 20_000;

    private static final VarHandle GUARD;
    private static final VarHandle RESERVED;

    /** Keeps whatever lies behind off the lines of the poster's words. */
    long q0, q1, q2, q3, q4, q5, q6;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            GUARD = lookup.findVarHandle(ReceiveQueueFields.class, "guardWord", long.class);
            RESERVED = lookup.findVarHandle(ReceiveQueueFields.class, "reserved", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /**
     * Makes an empty queue.
     *
     * @param block starts with zeroed memory of {@link Shape#bytes}
     * @param shape its sizes
     * @param table where keys are looked up when posting
     * @param domain the queue pair's protection domain
     * @param singleThreaded whether posters order themselves
     */
    public ReceiveQueue(MemorySegment block, Shape shape, MemoryTable table, int domain, boolean singleThreaded) {
        super(block, shape, table, domain, singleThreaded);
        OffHeap.putLong(postedWord, MAX_EAGER);
    }

    /** Sizes of a queue: slots (a power of two), receives allowed, buffers of one. */
    public record Shape(int slots, int limit, int maxSge) {
        /** Memory that a queue of this shape needs. */
        public long bytes() {
            return ReceiveQueueFields.bytes(this);
        }
    }

    /**
     * Where the queue of another process is mapped here.
     *
     * @param slots a power of two
     * @param maxSge buffers of one receive
     * @param posted address of the posted word
     * @param receives address of the first receive
     * @param receiveShift log2 of the bytes of one
     * @param completionsAt where in the inbox completions are written
     */
    public record Location(
            int slots, int maxSge, long posted, long receives, int receiveShift, long completionsAt) {}

    private ReceiveQueue(MemorySegment inbox, Location location) {
        super(inbox, location);
    }

    /**
     * Looks at the queue of another process, whose words may be anything and change at any time.
     *
     * @param inbox where its completions are written
     * @param location where the rest is; checked by the caller
     * @return a queue that {@link #offered} and what it offers may be read of
     */
    public static ReceiveQueue viewOf(MemorySegment inbox, Location location) {
        return new ReceiveQueue(inbox, location);
    }

    /** Where its parts lie in {@link #block}, for peers in other processes. */
    public Location location() {
        return new Location(depth, maxSge, postedWord, wqes, wqeShift, 0);
    }

    /** Bytes from the posted word on that belong to a queue: the word, whether its lane is hot, {@link #notes}. */
    public static int headerBytes() {
        return HEADER_BYTES;
    }

    /** Log2 of the bytes of one receive. */
    public static int receiveShift(int maxSge) {
        return ReceiveWqeLayout.shift(maxSge);
    }

    /** Bytes of so many completion entries. */
    public static long completionBytes(int slots) {
        return (long) slots << ReceiveCompletionLayout.SHIFT;
    }

    /** Joins the queue with the lane made for it. */
    public void lane(ReceiveLane newLane) {
        lane = newLane;
        lane.showHot(false);
    }

    // Posting

    /**
     * Posts a receive of one buffer.
     *
     * @return a code of {@link PostStatus}
     */
    public int post(long wrId, long address, long length, int lkey) {
        if (length < 0) {
            return PostStatus.BAD_LENGTH;
        }
        if (maxSge < 1 && length > 0) {
            return PostStatus.TOO_MANY_SGES;
        }
        long index = reserve();
        if (index < 0) {
            return (int) index;
        }
        long wqe = wqe(index);
        OffHeap.putLong(wqe + ReceiveWqeLayout.WR_ID, wrId);
        int count = maxSge < 1 ? 0 : 1;
        if (count != 0) {
            SgeLayout.put(wqe + ReceiveWqeLayout.BUFFERS, address, length, lkey);
        }
        finish(index, wqe, count, length, isWritable(lkey, address, length));
        return PostStatus.OK;
    }

    /**
     * Posts one receive of a list.
     *
     * @return a code of {@link PostStatus}
     */
    public int post(ReceiveRequests requests, int request) {
        int count = requests.sgeCount(request);
        if (count > maxSge) {
            return PostStatus.TOO_MANY_SGES;
        }
        for (int i = 0; i < count; i++) {
            if (requests.sgeLength(request, i) < 0) {
                return PostStatus.BAD_LENGTH;
            }
        }
        long index = reserve();
        if (index < 0) {
            return (int) index;
        }
        long wqe = wqe(index);
        OffHeap.putLong(wqe + ReceiveWqeLayout.WR_ID, requests.wrId(request));
        long total = 0;
        boolean good = true;
        for (int i = 0; i < count; i++) {
            long address = requests.sgeAddress(request, i);
            long length = requests.sgeLength(request, i);
            SgeLayout.put(buffer(index, i), address, length, requests.sgeLkey(request, i));
            good &= isWritable(requests.sgeLkey(request, i), address, length);
            total = total + length < 0 ? Long.MAX_VALUE : total + length;
        }
        finish(index, wqe, count, total, good);
        return PostStatus.OK;
    }

    private boolean isWritable(int lkey, long address, long length) {
        if (length == 0) {
            return true;
        }
        long slot = lkey == 0 ? 0 : table.find(lkey, MemoryTable.LOCAL, domain);
        return slot != 0 && MemorySlot.covers(slot, address, length)
                && (MemorySlot.access(slot) & Access.LOCAL_WRITE) != 0;
    }

    private void enter() {
        GUARD.setOpaque(this, guardWord + 1);
        Fences.light();
    }

    private void exit() {
        GUARD.setRelease(this, guardWord + 1);
    }

    /** Reserves the next index, or returns a negative code. */
    private long reserve() {
        return singleThreaded ? reserveAlone() : reserveShared();
    }

    private long reserveAlone() {
        enter();
        if (closed) {
            exit();
            return PostStatus.CLOSED;
        }
        if (posted - headSeen >= limit) {
            headSeen = lane.freeBefore();
            if (posted - headSeen >= limit) {
                exit();
                return PostStatus.QUEUE_FULL;
            }
        }
        return posted;
    }

    private long reserveShared() {
        for (;;) {
            long word = reserved;
            if (word < 0) {
                return PostStatus.CLOSED;
            }
            long index = word >>> INDEX_SHIFT;
            if (index - lane.freeBefore() >= limit) {
                return PostStatus.QUEUE_FULL;
            }
            if (RESERVED.compareAndSet(this, word, word + (1 << INDEX_SHIFT) + 1)) {
                return index;
            }
        }
    }

    private void finish(long index, long wqe, int count, long total, boolean good) {
        int fits = good ? (int) Math.min(total, MAX_EAGER) : 0;
        OffHeap.putLong(wqe + ReceiveWqeLayout.TOTAL, total);
        OffHeap.putInt(wqe + ReceiveWqeLayout.COUNT, count);
        OffHeap.putInt(wqe + ReceiveWqeLayout.EAGER, fits);
        if (singleThreaded) {
            chooseEager(index, fits);
            posted = index + 1;
            // Release: the receive before the word that offers it; pairs with the acquire in offered.
            OffHeap.putLongRelease(postedWord, posted << EAGER_BITS | eager);
            exit();
        } else {
            OffHeap.putLongRelease(wqe + ReceiveWqeLayout.TURN, index + 1);
            publishMarked();
            RESERVED.getAndAdd(this, -1L);
        }
    }

    /** Keeps {@link #eager} the least of all receives not polled, and lets it grow when the shortest one is gone. */
    private void chooseEager(long index, int fits) {
        if (fits <= eager) {
            eager = fits;
            shortestAt = index;
            eagerAfterShortest = MAX_EAGER;
            return;
        }
        eagerAfterShortest = Math.min(eagerAfterShortest, fits);
        if (shortestAt < lane.freeBefore()) {
            eager = eagerAfterShortest;
            shortestAt = index;
            eagerAfterShortest = MAX_EAGER;
        }
    }

    private void publishMarked() {
        // The mark must be visible before the word is read, or two posters could each leave it to the other.
        VarHandle.fullFence();
        for (;;) {
            long word = OffHeap.getLongAcquire(postedWord);
            long first = word >> EAGER_BITS;
            long end = first;
            long fits = first == lane.freeBefore() ? MAX_EAGER : word & EAGER_MASK;
            while (end - first < depth
                    && OffHeap.getLongAcquire(wqe(end) + ReceiveWqeLayout.TURN) == end + 1) {
                fits = Math.min(fits, OffHeap.getInt(wqe(end) + ReceiveWqeLayout.EAGER));
                end++;
            }
            if (end == first) {
                return;
            }
            OffHeap.compareAndSetLong(postedWord, word, end << EAGER_BITS | fits);
        }
    }

    // The peer's and the poller's view

    /** The posted word; later reads of receives stay behind it. */
    public long offered() {
        return OffHeap.getLongAcquire(postedWord);
    }

    /** Receives posted so far, from a posted word. */
    public static long postedOf(long word) {
        return word >> EAGER_BITS;
    }

    /** Longest message to deliver in the completion entry, from a posted word. */
    public static int eagerOf(long word) {
        return Math.min((int) (word & EAGER_MASK), MAX_EAGER);
    }

    long postedAcquire() {
        return postedOf(offered());
    }

    /** Id of a posted receive. */
    public long wrId(long index) {
        return OffHeap.getLong(wqe(index) + ReceiveWqeLayout.WR_ID);
    }

    /** Bytes of all buffers of a posted receive. */
    public long totalBytes(long index) {
        return OffHeap.getLong(wqe(index) + ReceiveWqeLayout.TOTAL);
    }

    /** Number of buffers of a posted receive. */
    public int bufferCount(long index) {
        return Math.clamp(OffHeap.getInt(wqe(index) + ReceiveWqeLayout.COUNT), 0, maxSge);
    }

    /** Where a buffer of a posted receive is described; see {@link SgeLayout}. */
    public long buffer(long index, int buffer) {
        return wqe(index) + ReceiveWqeLayout.BUFFERS + (long) buffer * SgeLayout.BYTES;
    }

    private long wqe(long index) {
        return wqes + ((index & depth - 1L) << wqeShift);
    }

    long completions() {
        return completions;
    }

    int depth() {
        return depth;
    }

    MemorySegment block() {
        return block;
    }

    /** Says to producers in other processes how to be noticed: {@link #POLLED}, {@link #ARMABLE}. */
    void showHot(long how) {
        OffHeap.putLongRelease(postedWord + HOT_AT, how);
    }

    /** What {@link #showHot} said last. */
    long howHot() {
        return OffHeap.getLongAcquire(postedWord + HOT_AT);
    }

    /** Says to producers in other processes whether completions are counted, which only this process can do. */
    void showCounted(boolean counted) {
        OffHeap.putLongRelease(postedWord + COUNTED_AT, counted ? 1 : 0);
    }

    /** What {@link #showCounted} said last. */
    public boolean isCounted() {
        return OffHeap.getLongAcquire(postedWord + COUNTED_AT) != 0;
    }

    /** Where peers in other processes read about the queue pair; 128 bytes, two lines. */
    public long notes() {
        return postedWord + HEADER_BYTES / 2;
    }

    // Control

    /** Waits until no post is half done; new ones may begin meanwhile. */
    public void awaitPosts() {
        if (singleThreaded) {
            Fences.heavy();
            long sample = (long) GUARD.getAcquire(this);
            for (int spins = 0; !Guard.hasEnded(sample, (long) GUARD.getAcquire(this)); spins++) {
                Guard.pause(spins);
            }
            return;
        }
        while ((reserved & IN_FLIGHT_MASK) != 0) {
            LockSupport.parkNanos(PARK_NS);
        }
    }

    /** Refuses further posts and waits until no post is half done; afterwards no poster touches the memory. */
    public void close() {
        closed = true;
        RESERVED.getAndBitwiseOr(this, CLOSED);
        awaitPosts();
    }
}
