package io.verbena.nic.ring;

import io.verbena.nic.memory.Fences;
import io.verbena.nic.memory.Guard;
import io.verbena.nic.memory.OffHeap;
import io.verbena.verbs.PostStatus;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * The order of a send queue, and the entries of those work requests that could not be executed at once.
 *
 * <p>Every work request gets a sequence. One thread at a time is the executor, by setting the claim bit; who finds it
 * set writes its entry, publishes it, and leaves: the executor looks for published entries again after it has given the
 * claim up. A single-threaded poster keeps the claim while nothing waits and then hands out sequences without atomics.
 *
 * <p>A slot is free again once its work request is executed and no earlier completion waits to be polled.
 */
public final class SendQueue extends SendQueueFields {
    private static final VarHandle CLAIM;
    private static final VarHandle EXECUTED;
    private static final VarHandle ALONE;
    private static final VarHandle CLAIMED_GUARD;
    private static final long CLAIMED = 1;
    private static final long ONE = 2;
    private static final long CLOSED = Long.MIN_VALUE;
    private static final long PARK_NS = 20_000;

    /** Keeps whatever lies behind off the lines of the words. */
    long q0, q1, q2, q3, q4, q5, q6;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            CLAIM = lookup.findVarHandle(SendQueueFields.class, "claim", long.class);
            EXECUTED = lookup.findVarHandle(SendQueueFields.class, "executed", long.class);
            ALONE = lookup.findVarHandle(SendQueueFields.class, "aloneWord", long.class);
            CLAIMED_GUARD = lookup.findVarHandle(SendQueueFields.class, "claimedWord", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Sizes of a queue: slots (a power of two), work requests allowed, buffers and inline bytes of one. */
    public record Shape(int slots, int limit, int maxSge, int maxInline) {
        int entryBytes() {
            return SendWqe.bytes(maxSge, maxInline);
        }

        /** Memory that a queue of this shape needs. */
        public long bytes() {
            return (long) slots * entryBytes();
        }
    }

    /**
     * Makes an empty queue.
     *
     * @param memory holds zeroed memory of {@link Shape#bytes}
     * @param offset where that starts in memory
     * @param shape its sizes
     * @param lane where its completions wait
     */
    public SendQueue(MemorySegment memory, long offset, Shape shape, SendLane lane) {
        super(memory, memory.address() + offset, shape, lane);
    }

    // The guards of posts; the protocol is that of Guard

    /** Enters the guard of a single-threaded poster. */
    public void enterAlone() {
        ALONE.setOpaque(this, aloneWord + 1);
        Fences.light();
    }

    /** Leaves the guard of a single-threaded poster. */
    public void exitAlone() {
        ALONE.setRelease(this, aloneWord + 1);
    }

    /** Enters the guard of whoever holds the claim for a while. */
    public void enterClaimed() {
        CLAIMED_GUARD.setOpaque(this, claimedWord + 1);
        Fences.light();
    }

    /** Leaves the guard of whoever holds the claim for a while. */
    public void exitClaimed() {
        CLAIMED_GUARD.setRelease(this, claimedWord + 1);
    }

    /** The word of the guard that {@link #enterAlone} enters; see {@link Guard#sample}. */
    public long aloneSample() {
        return (long) ALONE.getAcquire(this);
    }

    /** The word of the guard that {@link #enterClaimed} enters; see {@link Guard#sample}. */
    public long claimedSample() {
        return (long) CLAIMED_GUARD.getAcquire(this);
    }

    /** Waits until the data calls in flight now have ended. Call {@link Fences#heavy()} before. */
    public void awaitQuiescent() {
        long alone = aloneSample();
        for (int spins = 0; !Guard.hasEnded(alone, aloneSample()); spins++) {
            Guard.pause(spins);
        }
        long claimed = claimedSample();
        for (int spins = 0; !Guard.hasEnded(claimed, claimedSample()); spins++) {
            Guard.pause(spins);
        }
    }

    /** Slots, a power of two. */
    public int depth() {
        return depth;
    }

    // Handing out sequences

    /**
     * Hands out the next sequences and takes the claim if it is free.
     *
     * @param count how many, 1 or more
     * @return the first sequence times two, plus one when the caller now holds the claim; or a negative code
     */
    public long reserve(int count) {
        for (;;) {
            long word = claim;
            if (word < 0) {
                return PostStatus.CLOSED;
            }
            long sequence = word >>> 1;
            if (!hasSlot(sequence + count - 1)) {
                return PostStatus.QUEUE_FULL;
            }
            if (CLAIM.compareAndSet(this, word, word + ONE * count | CLAIMED)) {
                return sequence << 1 | (word & CLAIMED ^ CLAIMED);
            }
        }
    }

    /** Whether the slot of a sequence is free; by any thread. */
    public boolean hasSlot(long sequence) {
        if (sequence - retired < limit) {
            return true;
        }
        long done = executed;
        retired = lane.retired(done);
        return sequence - retired < limit;
    }

    /** Sequences handed out; not those that a claim kept by a single-threaded poster hands out. */
    public long reserved() {
        return (claim & ~CLOSED) >>> 1;
    }

    /** Work requests posted so far; a snapshot, by any thread. */
    public long posted() {
        // A single-threaded poster that keeps the claim counts only what it has executed.
        return Math.max(reserved(), executed);
    }

    /** Work requests executed so far; a snapshot, by any thread. */
    public long executed() {
        return executed;
    }

    /** Takes the claim if it is free. */
    public boolean tryClaim() {
        long word = claim;
        return word >= 0 && (word & CLAIMED) == 0 && CLAIM.compareAndSet(this, word, word | CLAIMED);
    }

    /** Takes the claim if it is free and nothing waits. */
    public boolean tryClaimIdle() {
        long word = claim;
        return word >= 0 && (word & CLAIMED) == 0 && word >>> 1 == executed
                && CLAIM.compareAndSet(this, word, word | CLAIMED);
    }

    /** Gives the claim up; a full barrier. */
    public void unclaim() {
        CLAIM.getAndAdd(this, -CLAIMED);
    }

    /**
     * Gives up a claim during which sequences were handed out without atomics; a full barrier.
     *
     * @param sequences handed out in all
     */
    public void unclaim(long sequences) {
        long word;
        do {
            word = claim;
        } while (!CLAIM.compareAndSet(this, word, word & CLOSED | sequences << 1));
    }

    /**
     * Goes on with a claim during which sequences were handed out without atomics as with an ordinary one.
     *
     * @param sequences handed out in all
     */
    public void claimFor(long sequences) {
        long word;
        do {
            word = claim;
        } while (!CLAIM.compareAndSet(this, word, word & CLOSED | sequences << 1 | CLAIMED));
    }

    // Entries

    /** Where the entry of a sequence is. */
    public long entry(long sequence) {
        return entries + (sequence & depth - 1L) * entryBytes;
    }

    /** The memory that all entries lie in, for checked copies. */
    public MemorySegment memory() {
        return memory;
    }

    /** Where the inline bytes of a sequence's entry are in {@link #memory}. */
    public long inlineOffset(long sequence) {
        return SendWqe.buffer(entry(sequence), 0) - memory.address();
    }

    /** Makes an entry visible to executors. */
    public void publish(long sequence) {
        OffHeap.putLongRelease(entry(sequence) + SendWqe.TURN, sequence + 1);
    }

    /** Whether the entry of a sequence is there. */
    public boolean isPublished(long sequence) {
        return OffHeap.getLongAcquire(entry(sequence) + SendWqe.TURN) == sequence + 1;
    }

    /** One more than the last of the entries that are there from the next one on, without a gap; by the executor. */
    public long publishedEnd() {
        long sequence = next();
        while (isPublished(sequence)) {
            sequence++;
        }
        return sequence;
    }

    // Executor

    /** The next sequence to execute; by the executor. */
    public long next() {
        return (long) EXECUTED.get(this);
    }

    /** Notes that a sequence is done, after its completion was produced; by the executor. */
    public void done(long sequence) {
        EXECUTED.setRelease(this, sequence + 1);
    }

    /** Whether the next entry is there to be executed; by any thread. Never once the queue is closed. */
    public boolean hasNext() {
        return claim >= 0 && isPublished(executed);
    }

    // Control

    /** Waits for the claim. */
    public void awaitClaim() {
        for (;;) {
            long word = claim;
            if ((word & CLAIMED) == 0 && CLAIM.compareAndSet(this, word, word | CLAIMED)) {
                return;
            }
            LockSupport.parkNanos(PARK_NS);
        }
    }

    /** Waits until every sequence handed out has an entry, then drops them all; by the holder of the claim. */
    public void discard() {
        long end = reserved();
        for (long sequence = executed; sequence < end; sequence++) {
            while (!isPublished(sequence)) {
                LockSupport.parkNanos(PARK_NS);
            }
        }
        EXECUTED.setRelease(this, Math.max(end, executed));
        lane.discard();
    }

    /** Refuses further work requests. */
    public void close() {
        CLAIM.getAndBitwiseOr(this, CLOSED);
    }
}
