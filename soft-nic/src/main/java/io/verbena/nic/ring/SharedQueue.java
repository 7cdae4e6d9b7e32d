package io.verbena.nic.ring;

import io.verbena.nic.memory.Blocks;
import io.verbena.nic.memory.OffHeap;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.ReceiveRequests;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;

/**
 * Receives that many senders draw from: those of a shared receive queue, or of a datagram queue pair. Any thread may
 * post, take and give places back; none waits for another.
 *
 * <p>Places are numbered. A number travels from the free ones to the posted ones ({@link #post}), to the sender that
 * took it ({@link #take}), to the completion queue ({@link SharedLane}), and, once polled, back to the free ones.
 * Posting announces itself to nobody: {@link #retire} waits until every number is back, and then makes sure that a
 * poster who looked too early gets none.
 */
public final class SharedQueue {
    /** What {@link #take} returns when no receive is posted. */
    public static final int NONE = IdQueue.EMPTY;
    /** What {@link #takeFitting} returns when the message does not fit the next receive. */
    public static final int TOO_SHORT = -2;
    /** Most places of one queue. */
    public static final int MAX_PLACES = 1 << 15;

    /** Memory grows by at least 16 places, so that growing far takes few steps. */
    private static final int LEAST_CHUNK_SHIFT = 4;

    private static final VarHandle LIMIT;

    private static final long PARK_NS = 20_000;
    private static final int MOST_PARKS = 5_000;

    private final Blocks memory;
    private final int maxSge;
    private final int wqeShift;
    private final int chunkShift;
    private final IdQueues free;
    private final IdQueues posted;
    private final Runnable limitReached;
    /** Control: places taken out of use by shrinking. */
    private final ArrayDeque<Integer> parked = new ArrayDeque<>();
    private volatile long[] chunks = new long[0];
    private volatile boolean closed;
    private volatile int limit;
    private volatile int places;
    private int made;
    /** Control: receives dropped unused. */
    private long dropped;

    static {
        try {
            LIMIT = MethodHandles.lookup().findVarHandle(SharedQueue.class, "limit", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /**
     * Makes an empty queue.
     *
     * @param places receives it can hold, 1 to {@link #MAX_PLACES}
     * @param maxSge buffers of one receive
     * @param limitReached called by the sender that makes the armed limit come true
     * @param memory where its memory comes from; the caller gives it back
     */
    public SharedQueue(int places, int maxSge, Runnable limitReached, Blocks memory) {
        this.memory = memory;
        this.maxSge = maxSge;
        this.limitReached = limitReached;
        wqeShift = SharedWqeLayout.shift(maxSge);
        int slots = powerOfTwo(places);
        chunkShift = Math.max(LEAST_CHUNK_SHIFT, Integer.numberOfTrailingZeros(slots));
        free = new IdQueues(IdQueue.in(memory, slots));
        posted = new IdQueues(IdQueue.in(memory, slots));
        makePlaces(places);
        this.places = places;
    }

    private static int powerOfTwo(int atLeast) {
        return atLeast <= 1 ? 1 : Integer.highestOneBit(atLeast - 1) << 1;
    }

    private void makePlaces(int wanted) {
        while (chunks.length << chunkShift < wanted) {
            long[] next = Arrays.copyOf(chunks, chunks.length + 1);
            next[chunks.length] = memory.take(1L << chunkShift + wqeShift).address();
            chunks = next;
        }
        while (made < wanted) {
            free.offer(made++);
        }
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
        int id = takeFree();
        if (id < 0) {
            return id;
        }
        long wqe = wqe(id);
        if (maxSge > 0) {
            SgeLayout.put(wqe + SharedWqeLayout.BUFFERS, address, length, lkey);
        }
        publish(id, wqe, wrId, Math.min(maxSge, 1), length);
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
        int id = takeFree();
        if (id < 0) {
            return id;
        }
        long wqe = wqe(id);
        long total = 0;
        for (int i = 0; i < count; i++) {
            // Never negative nor beyond the range of a long, whatever others do to the list meanwhile.
            long length = Math.clamp(requests.sgeLength(request, i), 0, Long.MAX_VALUE - total);
            total += length;
            SgeLayout.put(wqe + SharedWqeLayout.BUFFERS + (long) i * SgeLayout.BYTES,
                    requests.sgeAddress(request, i), length, requests.sgeLkey(request, i));
        }
        publish(id, wqe, requests.wrId(request), count, total);
        return PostStatus.OK;
    }

    private int takeFree() {
        if (closed) {
            return PostStatus.CLOSED;
        }
        int id = free.poll();
        return id >= 0 ? id : closed ? PostStatus.CLOSED : PostStatus.QUEUE_FULL;
    }

    private void publish(int id, long wqe, long wrId, int count, long total) {
        OffHeap.putLong(wqe + SharedWqeLayout.WR_ID, wrId);
        OffHeap.putInt(wqe + SharedWqeLayout.COUNT, count);
        OffHeap.putLong(wqe + SharedWqeLayout.TOTAL, total);
        posted.offer(id);
    }

    // Taking, by senders

    /** Takes the oldest receive, or {@link #NONE}. */
    public int take() {
        int id = posted.poll();
        if (id >= 0 && limit > 0) {
            checkLimit();
        }
        return id;
    }

    /** Takes the oldest receive if it has room for a message; else {@link #NONE} or {@link #TOO_SHORT}. */
    public int takeFitting(long bytes) {
        for (;;) {
            int id = posted.peek();
            if (id < 0) {
                return NONE;
            }
            boolean fits = bytes <= totalBytes(id);
            if (!fits && posted.peek() == id) {
                return TOO_SHORT;
            }
            if (fits && posted.pollIf(id)) {
                if (bytes > totalBytes(id)) {
                    giveBack(id); // taken, polled and posted again with less room since the first look
                    return TOO_SHORT;
                }
                if (limit > 0) {
                    checkLimit();
                }
                return id;
            }
        }
    }

    /** Whether a receive could be taken now; a snapshot. */
    public boolean hasPosted() {
        return posted.peek() >= 0;
    }

    /** Posts a receive again that was taken and not used. */
    public void giveBack(int id) {
        posted.offer(id);
    }

    /** Frees a place whose completion was polled, or will never be. */
    void release(int id) {
        free.offer(id);
    }

    private void checkLimit() {
        int armed = limit;
        if (armed > 0 && posted.size() < armed && LIMIT.compareAndSet(this, armed, 0)) {
            limitReached.run();
        }
    }

    // Places

    /** Bytes of all buffers of a receive. */
    public long totalBytes(int id) {
        return OffHeap.getLong(wqe(id) + SharedWqeLayout.TOTAL);
    }

    /** Number of buffers of a receive. */
    public int bufferCount(int id) {
        return OffHeap.getInt(wqe(id) + SharedWqeLayout.COUNT);
    }

    /** Where the first buffer of a receive is described; see {@link SgeLayout}. */
    public long firstBuffer(int id) {
        return wqe(id) + SharedWqeLayout.BUFFERS;
    }

    long wqe(int id) {
        return chunks[id >>> chunkShift] + ((long) (id & (1 << chunkShift) - 1) << wqeShift);
    }

    // Control; the caller serialises these calls

    /** Places in use or free. */
    public int places() {
        return places;
    }

    /** The armed limit, 0 for none. */
    public int limit() {
        return limit;
    }

    /** Arms the limit; 0 disarms it. */
    public void limit(int value) {
        limit = value;
    }

    /**
     * Changes the number of places. The lanes that use this queue must have room first.
     *
     * @return whether it was possible: not when more places than that are in use
     */
    public boolean resize(int wanted) {
        if (wanted < places) {
            return shrink(wanted);
        }
        int slots = powerOfTwo(wanted);
        if (slots > free.capacity()) {
            // Both or none: there may be no memory for the second.
            IdQueue largerFree = IdQueue.in(memory, slots);
            IdQueue largerPosted = IdQueue.in(memory, slots);
            free.grow(largerFree);
            posted.grow(largerPosted);
        }
        int more = wanted - places;
        while (more > 0 && !parked.isEmpty()) {
            free.offer(parked.pop());
            more--;
        }
        makePlaces(made + more);
        places = wanted;
        return true;
    }

    private boolean shrink(int wanted) {
        int taken = 0;
        while (places - taken > wanted) {
            int id = free.poll();
            if (id < 0) {
                for (; taken > 0; taken--) {
                    free.offer(parked.pop());
                }
                return false;
            }
            parked.push(id);
            taken++;
        }
        places = wanted;
        return true;
    }

    /** Receives posted and not taken; a snapshot. */
    public long postedCount() {
        return posted.size();
    }

    /** Frees every receive that is posted. */
    public void dropPosted() {
        for (int id = posted.poll(); id >= 0; id = posted.poll()) {
            free.offer(id);
            dropped++;
        }
    }

    /** Receives posted so far; a snapshot. */
    public long postedSoFar() {
        return posted.added();
    }

    /** Receives dropped by {@link #dropPosted} so far. */
    public long dropped() {
        return dropped;
    }

    /** Refuses further posts. */
    public void close() {
        closed = true;
    }

    /**
     * Ends the use of the memory, after {@link #close}, and when nobody takes, completes or polls any more. Posters may
     * still be on their way: who has a place posts it soon, and who has none finds none.
     *
     * @return whether the memory may be used for something else; false when a place did not come back in time, because
     *     a thread has stopped in the middle of a post
     */
    public boolean retire() {
        int missing = made - parked.size();
        for (int parks = 0; parks < MOST_PARKS; parks++) {
            while (missing > 0 && (free.poll() >= 0 || posted.poll() >= 0)) {
                missing--;
            }
            if (missing == 0) {
                free.retire();
                return true;
            }
            LockSupport.parkNanos(PARK_NS);
        }
        return false;
    }
}
