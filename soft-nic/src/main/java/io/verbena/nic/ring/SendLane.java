package io.verbena.nic.ring;

import io.verbena.nic.memory.OffHeap;
import io.verbena.verbs.WorkCompletion;

/** Completions of one send queue, produced by whoever executes it. */
public final class SendLane extends CompletionLane {
    /**
     * Makes an empty lane.
     *
     * @param core the completion queue it belongs to
     * @param qpNum the queue pair
     * @param base zeroed memory of {@link #bytes}
     * @param depth entries, a power of two
     */
    public SendLane(CompletionCore core, int qpNum, long base, int depth) {
        super(core, qpNum, base, depth);
    }

    /** Memory that a lane of a depth needs. */
    public static long bytes(int depth) {
        return (long) depth << SendCompletionLayout.SHIFT;
    }

    /**
     * Adds a completion; only by the holder of the send queue.
     *
     * @param wrId of the work request
     * @param detail see {@link Detail#of}
     * @param sequence of the work request in its send queue
     * @return false when the completion queue overflowed and the completion is lost
     */
    public boolean produce(long wrId, long detail, long sequence) {
        long admitted = admit(detail);
        if (admitted < 0) {
            return false;
        }
        long index = tailPlain();
        long entry = entry(index);
        OffHeap.putLong(entry + SendCompletionLayout.WR_ID, wrId);
        OffHeap.putLong(entry + SendCompletionLayout.DETAIL, admitted);
        OffHeap.putLong(entry + SendCompletionLayout.SEQUENCE, sequence);
        // Release: the entry's contents before its turn; pairs with the acquire in poll.
        OffHeap.putLongRelease(entry + SendCompletionLayout.TURN, index + 1);
        tailRelease(index + 1);
        announce(Detail.status(admitted) != 0);
        return true;
    }

    /** Completions produced so far; by the holder of the send queue. */
    public long produced() {
        return tailPlain();
    }

    /** Completions produced so far; a snapshot, by any thread. */
    public long added() {
        return tail;
    }

    @Override
    boolean isReady() {
        // Before head is read: who pauses waits for this poll, or has written head when the pause is over.
        if (paused) {
            return false;
        }
        long index = head;
        return OffHeap.getLongAcquire(entry(index) + SendCompletionLayout.TURN) == index + 1;
    }

    @Override
    void take(WorkCompletion completion) {
        long index = head;
        long entry = entry(index);
        long detail = OffHeap.getLong(entry + SendCompletionLayout.DETAIL);
        completion.setOutcome(
                OffHeap.getLong(entry + SendCompletionLayout.WR_ID), qpNum, Detail.status(detail), 0);
        completion.setDetail(Detail.opcode(detail), Detail.length(detail), 0, 0, 0);
        if (Detail.isCounted(detail)) {
            core.uncount();
        }
        polledSequences = OffHeap.getLong(entry + SendCompletionLayout.SEQUENCE) + 1;
        // Release: the entry was read before its slot may be written again; pairs with the acquire in retired.
        headRelease(index + 1);
    }

    @Override
    boolean hasCompletion() {
        long index = headAcquire();
        return OffHeap.getLongAcquire(entry(index) + SendCompletionLayout.TURN) == index + 1;
    }

    @Override
    long backlog() {
        return Math.max(0, tail - headAcquire());
    }

    /**
     * How many work requests need no slot any more: those before the oldest completion not polled. When every
     * completion has been polled, those that are executed; the poller may know of one more than the executor has noted,
     * since a completion is produced before its work request is noted as done.
     *
     * @param executed work requests noted as done
     * @return a lower bound that no later call falls behind
     */
    long retired(long executed) {
        for (;;) {
            long end = tail;
            long index = headAcquire();
            if (index >= end) {
                return Math.max(executed, polledSequences);
            }
            long sequence = OffHeap.getLongAcquire(entry(index) + SendCompletionLayout.SEQUENCE);
            if (headAcquire() == index) {
                return sequence;
            }
        }
    }

    /** Drops every completion not polled yet; only while nobody produces. */
    public void discard() {
        dropUntil(tail);
    }

    @Override
    boolean isCounted(long index) {
        return Detail.isCounted(OffHeap.getLong(entry(index) + SendCompletionLayout.DETAIL));
    }

    private long entry(long index) {
        return entries + ((index & mask) << SendCompletionLayout.SHIFT);
    }
}
