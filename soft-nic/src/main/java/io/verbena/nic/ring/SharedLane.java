package io.verbena.nic.ring;

import io.verbena.nic.counters.QueuePairCounters;
import io.verbena.nic.memory.Blocks;
import io.verbena.nic.memory.Fences;
import io.verbena.nic.memory.OffHeap;
import io.verbena.verbs.WorkCompletion;

/**
 * Completions of one {@link SharedQueue} for one completion queue, produced by any number of senders. Its entries are
 * the places of the queue themselves: what travels is their number.
 */
public final class SharedLane extends CompletionLane {
    private final SharedQueue queue;
    private final Blocks memory;
    private final IdQueues arrivals;
    /** Older than all arrivals: what was left when completions of a queue pair were dropped from among them. */
    private int[] kept = {};
    private int nextKept;
    private volatile int keptCount;

    /**
     * Makes an empty lane.
     *
     * @param core the completion queue it belongs to
     * @param queue whose receives complete here
     * @param memory where its memory comes from; the caller gives it back
     */
    public SharedLane(CompletionCore core, SharedQueue queue, Blocks memory) {
        super(core, 0, 0, 1); // no ring of its own
        this.queue = queue;
        this.memory = memory;
        arrivals = new IdQueues(IdQueue.in(memory, capacityFor(queue.places())));
    }

    private static int capacityFor(int places) {
        return places <= 1 ? 1 : Integer.highestOneBit(places - 1) << 1;
    }

    // Producers

    /**
     * Completes a receive that was taken.
     *
     * @param id the receive
     * @param detail see {@link Detail#of}
     * @param imm immediate value
     * @param numbers the receiver's queue pair number in the upper half, the sender's in the lower
     * @param solicited whether it matches an arm for solicited completions only
     * @param counters where the receiver counts, see {@link QueuePairCounters}
     * @return false when the completion queue overflowed; the receive is still the caller's
     */
    public boolean produce(int id, long detail, int imm, long numbers, boolean solicited, long counters) {
        long admitted = admit(detail);
        if (admitted < 0) {
            return false;
        }
        long wqe = queue.wqe(id);
        OffHeap.putInt(wqe + SharedWqeLayout.IMM, imm);
        OffHeap.putInt(wqe + SharedWqeLayout.QP_NUM, (int) (numbers >>> Integer.SIZE));
        OffHeap.putInt(wqe + SharedWqeLayout.SRC_QP, (int) numbers);
        OffHeap.putLong(wqe + SharedWqeLayout.COUNTERS, counters);
        OffHeap.putLong(wqe + SharedWqeLayout.DETAIL, admitted);
        arrivals.offer(id);
        announce(solicited);
        return true;
    }

    // Consumer

    @Override
    boolean isReady() {
        // Before the queue is looked at: who pauses waits for this poll, or has finished when the pause is over.
        if (paused) {
            return false;
        }
        return keptCount > 0 || arrivals.peek() >= 0;
    }

    private void retire(int id, long detail) {
        if (Detail.isCounted(detail)) {
            core.uncount();
        }
        queue.release(id);
    }

    @Override
    void take(WorkCompletion completion) {
        int id = keptCount > 0 ? pollKept() : arrivals.poll();
        long wqe = queue.wqe(id);
        long detail = OffHeap.getLong(wqe + SharedWqeLayout.DETAIL);
        completion.setOutcome(OffHeap.getLong(wqe + SharedWqeLayout.WR_ID),
                OffHeap.getInt(wqe + SharedWqeLayout.QP_NUM), Detail.status(detail), 0);
        completion.setDetail(Detail.opcode(detail), Detail.length(detail), Detail.flags(detail) & ~Detail.COUNTED,
                OffHeap.getInt(wqe + SharedWqeLayout.IMM), OffHeap.getInt(wqe + SharedWqeLayout.SRC_QP));
        countReceive(OffHeap.getLong(wqe + SharedWqeLayout.COUNTERS), Detail.status(detail), Detail.length(detail));
        retire(id, detail);
    }

    private int pollKept() {
        keptCount--;
        return kept[nextKept++];
    }

    @Override
    boolean hasCompletion() {
        return keptCount > 0 || arrivals.peek() >= 0;
    }

    @Override
    long backlog() {
        return keptCount + arrivals.size();
    }

    /** Completions added so far; a snapshot, by any thread. */
    public long added() {
        return arrivals.added();
    }

    @Override
    public long taken() {
        return arrivals.taken() - keptCount;
    }

    @Override
    boolean isCounted(long index) {
        return false; // completions are retired one by one
    }

    // Control; the caller serialises these calls

    /** Makes room for as many completions as the queue is about to have places. */
    public void reserve(int places) {
        int capacity = capacityFor(places);
        if (capacity > arrivals.capacity()) {
            arrivals.grow(IdQueue.in(memory, capacity));
        }
    }

    /**
     * Drops every completion of a queue pair whose senders have stopped. Their places are free at once, since nobody
     * has a reason to poll for them; what lies between them is kept in order.
     */
    public void discard(int qpNum) {
        pause();
        // Others may add more meanwhile; those of this queue pair are among the first ones.
        long arrived = arrivals.size();
        int[] left = new int[(int) (keptCount + arrived)];
        int count = 0;
        while (keptCount > 0) {
            count += sieve(left, count, pollKept(), qpNum);
        }
        for (; arrived > 0; arrived--) {
            count += sieve(left, count, arrivals.poll(), qpNum);
        }
        kept = left;
        nextKept = 0;
        keptCount = count;
        paused = false;
        if (hasCompletion()) {
            // A poll that was turned away meanwhile has forgotten this lane, and perhaps gone to sleep.
            announce(true);
        }
    }

    /** Keeps a completion in an array, or retires it when it is of a queue pair; returns how many it kept. */
    private int sieve(int[] left, int at, int id, int qpNum) {
        long wqe = queue.wqe(id);
        if (OffHeap.getInt(wqe + SharedWqeLayout.QP_NUM) == qpNum) {
            retire(id, OffHeap.getLong(wqe + SharedWqeLayout.DETAIL));
            return 0;
        }
        left[at] = id;
        return 1;
    }

    /** Frees every completion; when nobody produces, and after the lane was removed from its completion queue. */
    public void drain() {
        while (keptCount > 0) {
            int id = pollKept();
            retire(id, OffHeap.getLong(queue.wqe(id) + SharedWqeLayout.DETAIL));
        }
        for (int id = arrivals.poll(); id >= 0; id = arrivals.poll()) {
            retire(id, OffHeap.getLong(queue.wqe(id) + SharedWqeLayout.DETAIL));
        }
    }

    private void pause() {
        paused = true;
        Fences.heavy();
        core.guard().awaitQuiescent();
    }
}
