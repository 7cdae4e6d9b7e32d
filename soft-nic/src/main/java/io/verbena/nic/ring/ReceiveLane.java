package io.verbena.nic.ring;

import io.verbena.nic.counters.NicCounters;
import io.verbena.nic.counters.QueuePairCounters;
import io.verbena.nic.memory.CheckedAccess;
import io.verbena.nic.memory.Fences;
import io.verbena.nic.memory.Generation;
import io.verbena.nic.memory.KeyCache;
import io.verbena.nic.memory.OffHeap;
import io.verbena.verbs.Access;
import io.verbena.verbs.WcOpcode;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.WorkCompletion;
import java.lang.foreign.MemorySegment;

/**
 * A receive queue and its completions. Posted receives and completions share one index: completion i belongs to
 * receive i. The producer of completions is the connected peer, which learns from one word how many receives there
 * are and how long a message may be that it delivers in the completion entry without looking at the receive.
 *
 * <p>A flush needs no producer: once the queue is sealed (the peer can add nothing more), polling reports every
 * receive still posted as flushed.
 */
public class ReceiveLane extends CompletionLane {
    private final ReceiveQueue queue;
    private final KeyCache keys;
    private final Generation generation;
    private final DeliveryListener listener;
    private volatile boolean sealed;
    /** Where another process writes the entries; null while they are in the queue's block. */
    private volatile MemorySegment inbox;
    private long generationSeen = -1;
    private long counters = QueuePairCounters.NOWHERE;

    /**
     * Makes an empty lane.
     *
     * @param core the completion queue it belongs to
     * @param qpNum the queue pair
     * @param queue where receives are posted
     * @param keys local keys of the queue pair's domain, for the poll role
     * @param generation tells when those keys must be looked up again
     * @param listener told of failed deliveries
     */
    public ReceiveLane(CompletionCore core, int qpNum, ReceiveQueue queue, KeyCache keys, Generation generation,
            DeliveryListener listener) {
        super(core, qpNum, queue.completions(), queue.depth());
        this.queue = queue;
        this.keys = keys;
        this.generation = generation;
        this.listener = listener;
    }

    /** Says where the completion queue is armed, to tell peers in other processes; null when it may not be. */
    public ArmedWord armedWord() {
        return core.armedWord();
    }

    /** Says where the queue pair counts; before its first receive. */
    public void counters(long record) {
        counters = record;
    }

    /** Where the queue pair counts: see {@link QueuePairCounters}. */
    public long counters() {
        return counters;
    }

    /** Where its NIC counts. */
    public NicCounters nicCounters() {
        return core.counters();
    }

    // Producer

    /** Index of the receive that the next message takes. */
    public long nextIndex() {
        return tailPlain();
    }

    /** Where a payload of up to 64 bytes goes in the next entry. */
    public long payload(long length) {
        return entry(tailPlain()) + (length <= ReceiveCompletionLayout.FIRST_LINE_BYTES
                ? ReceiveCompletionLayout.FIRST_LINE_PAYLOAD
                : ReceiveCompletionLayout.SECOND_LINE_PAYLOAD);
    }

    /** The memory that {@link #payload} lies in, for checked copies. */
    public MemorySegment block() {
        MemorySegment elsewhere = inbox;
        return elsewhere == null ? queue.block() : elsewhere;
    }

    /**
     * Completes the next receive with a message whose payload lies in the entry.
     *
     * @param detail see {@link Detail#of}
     * @param imm immediate value
     * @param solicited whether the sender asked to wake the receiver
     * @return false when the completion queue overflowed
     */
    public boolean produceInline(long detail, int imm, boolean solicited) {
        long length = Detail.length(detail);
        int where = length == 0 ? 0 : length <= ReceiveCompletionLayout.FIRST_LINE_BYTES ? 1 : 2;
        return produce(detail, imm, where, solicited);
    }

    /**
     * Completes the next receive, whose buffers are filled already.
     *
     * @param detail see {@link Detail#of}
     * @param imm immediate value
     * @param solicited whether to wake a receiver that waits for solicited completions
     * @return false when the completion queue overflowed
     */
    public boolean produce(long detail, int imm, boolean solicited) {
        return produce(detail, imm, 0, solicited);
    }

    private boolean produce(long detail, int imm, int where, boolean solicited) {
        long admitted = admit(detail);
        if (admitted < 0) {
            return false;
        }
        long index = tailPlain();
        long entry = entry(index);
        OffHeap.putLong(entry + ReceiveCompletionLayout.DETAIL, admitted);
        if (Detail.isCounted(admitted) && inbox != null) {
            // Where the other process can't write.
            OffHeap.putLong(ownDetail(index), admitted);
        }
        OffHeap.putLong(entry + ReceiveCompletionLayout.IMM, imm & 0xFFFF_FFFFL | (long) where << 32);
        // Release: payload and entry before the turn; pairs with the acquire in poll.
        OffHeap.putLongRelease(entry + ReceiveCompletionLayout.TURN, index + 1);
        tailRelease(index + 1);
        announce(solicited);
        return true;
    }

    /** Packet sequence number that the next message must start with. */
    public int expectedPsn() {
        return (int) psn;
    }

    /** Sets the packet sequence number that the next message must start with. */
    public void expectPsn(int value) {
        psn = value;
    }

    // Consumer

    @Override
    void showCounted(boolean counted) {
        queue.showCounted(counted);
        if (inbox != null) {
            generation.bump();
        }
    }

    @Override
    void showHot(boolean hot) {
        // With a channel somebody may sleep however hot the lane is.
        int events = core.armedWord() == null ? 0 : ReceiveQueue.ARMABLE;
        queue.showHot(events | (hot ? ReceiveQueue.POLLED : 0));
    }

    @Override
    boolean isReady() {
        // Before head is read: who pauses waits for this poll, or has written head when the pause is over.
        if (paused) {
            return false;
        }
        long index = head;
        long entry = entry(index);
        // Asked for before the turn is known, so that both lines of an entry travel at once; the value is not used.
        OffHeap.getLongAcquire(entry + ReceiveCompletionLayout.SECOND_LINE_PAYLOAD);
        return OffHeap.getLongAcquire(entry + ReceiveCompletionLayout.TURN) == index + 1
                ? inbox == null || index < queue.postedAcquire()
                : sealed && isReadySealed(index, entry);
    }

    private boolean isReadySealed(long index, long entry) {
        // A message may have come after the first look and before the seal: only a look after the seal counts.
        // What another process writes into an inbox shows at most that a receive is done that was posted.
        return inbox == null && OffHeap.getLongAcquire(entry + ReceiveCompletionLayout.TURN) == index + 1
                || index < queue.postedAcquire() && !core.isFailed();
    }

    @Override
    void take(WorkCompletion completion) {
        long index = head;
        long entry = entry(index);
        if (OffHeap.getLongAcquire(entry + ReceiveCompletionLayout.TURN) != index + 1) {
            takeFlush(completion, index);
            return;
        }
        long detail = OffHeap.getLong(entry + ReceiveCompletionLayout.DETAIL);
        long immAndWhere = OffHeap.getLong(entry + ReceiveCompletionLayout.IMM);
        int where = (int) (immAndWhere >>> 32);
        if (inbox != null && !isPlausible(index, detail, where)) {
            detail = Detail.of(0, 0, WcStatus.LOC_QP_OP_ERR.code(), 0);
            where = 0;
            listener.deliveryFailed();
        }
        int status = Detail.status(detail);
        if (where != 0) {
            status = deliver(index, entry, Detail.length(detail), where);
        }
        completion.setOutcome(queue.wrId(index), qpNum, status, 0);
        completion.setDetail(Detail.opcode(detail), Detail.length(detail), Detail.flags(detail) & ~Detail.COUNTED,
                (int) immAndWhere, 0);
        countReceive(counters, status, Detail.length(detail));
        if (inbox != null) {
            uncountOwn(index);
        } else if (Detail.isCounted(detail)) {
            core.uncount();
        }
        headRelease(index + 1);
    }

    private void uncountOwn(long index) {
        if (isCounted(index)) {
            core.uncount();
            OffHeap.putLong(ownDetail(index), 0);
        }
    }

    /** Whether another process can mean well by what it wrote, so that it may be believed. */
    private boolean isPlausible(long index, long detail, int where) {
        WcOpcode opcode = WcOpcode.ofCode(Detail.opcode(detail));
        long length = Detail.length(detail);
        boolean fits = switch (where) {
            case 0 -> opcode == WcOpcode.RECV_RDMA_WITH_IMM || length <= queue.totalBytes(index);
            case 1 -> length <= ReceiveCompletionLayout.FIRST_LINE_BYTES;
            case 2 -> length <= ReceiveCompletionLayout.SECOND_LINE_BYTES;
            default -> false;
        };
        return fits && WcStatus.ofCode(Detail.status(detail)) != null
                && (opcode == WcOpcode.RECV || opcode == WcOpcode.RECV_RDMA_WITH_IMM);
    }

    private void takeFlush(WorkCompletion completion, long index) {
        int status = WcStatus.WR_FLUSH_ERR.code();
        if (!sealed) {
            // Another process has taken its completion back.
            status = WcStatus.LOC_QP_OP_ERR.code();
            listener.deliveryFailed();
            uncountOwn(index);
        }
        completion.setOutcome(queue.wrId(index), qpNum, status, 0);
        completion.setDetail(0, 0, 0, 0, 0);
        countReceive(counters, status, 0);
        headRelease(index + 1);
    }

    /** Moves a payload from the entry to the receive's buffers; returns a status code. */
    private int deliver(long index, long entry, long length, int where) {
        long now = generation.get();
        if (now != generationSeen) {
            generation.roster().enlist(core);
            now = generation.get();
            keys.clear();
            generationSeen = now;
        }
        long source = entry + (where == 1
                ? ReceiveCompletionLayout.FIRST_LINE_PAYLOAD
                : ReceiveCompletionLayout.SECOND_LINE_PAYLOAD);
        long buffer = queue.buffer(index, 0);
        if (SgeLayout.length(buffer) >= length) {
            long target = keys.translate(SgeLayout.lkey(buffer), SgeLayout.address(buffer), length, Access.LOCAL_WRITE);
            if (target >= 0) {
                OffHeap.copyWords(source, target, length);
                return 0;
            }
        }
        return scatter(index, source, length);
    }

    private int scatter(long index, long source, long length) {
        long done = 0;
        for (int i = 0; done < length && i < queue.bufferCount(index); i++) {
            long buffer = queue.buffer(index, i);
            long part = Math.min(SgeLayout.length(buffer), length - done);
            if (part > 0 && !scatterPart(buffer, source + done, part)) {
                listener.deliveryFailed();
                return WcStatus.LOC_PROT_ERR.code();
            }
            done += part;
        }
        return 0;
    }

    private boolean scatterPart(long buffer, long source, long length) {
        long target = keys.translate(SgeLayout.lkey(buffer), SgeLayout.address(buffer), length, Access.LOCAL_WRITE);
        if (target == KeyCache.CHECKED) {
            return CheckedAccess.copy(block(), source - block().address(), keys.segment(), keys.offset(), length)
                    == CheckedAccess.DONE;
        }
        if (target == KeyCache.FAULT) {
            return false;
        }
        OffHeap.copyWords(source, target, length);
        return true;
    }

    @Override
    boolean hasCompletion() {
        long index = headAcquire();
        boolean published = OffHeap.getLongAcquire(entry(index) + ReceiveCompletionLayout.TURN) == index + 1;
        return published && inbox == null || (published || sealed) && index < queue.postedAcquire();
    }

    @Override
    long backlog() {
        return Math.max(0, end() - headAcquire());
    }

    /** Index behind the last completion, whoever has produced it. */
    private long end() {
        if (inbox == null) {
            return tail;
        }
        long index = headAcquire();
        long last = Math.min(index + mask + 1, queue.postedAcquire());
        while (index < last && OffHeap.getLongAcquire(entry(index) + ReceiveCompletionLayout.TURN) == index + 1) {
            index++;
        }
        return index;
    }

    @Override
    long waiting() {
        long polled = headAcquire();
        return completed() - polled;
    }

    /** Receives posted so far; a snapshot, by any thread. */
    public long posted() {
        return queue.postedAcquire();
    }

    /** Receives completed so far, flushed ones included; a snapshot, by any thread. */
    public long completed() {
        return sealed ? queue.postedAcquire() : Math.max(end(), headAcquire());
    }

    // Control

    /** Whether {@link #seal()} was called since the last {@link #discard()}. */
    public boolean isSealed() {
        return sealed;
    }

    /** Reports every receive still posted as flushed from now on; only when the producer can add nothing more. */
    public void seal() {
        sealed = true;
        // A receive posted meanwhile is seen here, or its poster sees the seal.
        Fences.heavy();
        if (end() < queue.postedAcquire()) {
            announce(true);
        }
    }

    /** Tells the poller about a receive posted after {@link #seal()}. */
    public void announceFlush() {
        announce(true);
    }

    /**
     * Has the completions written by another process from now on; while nobody produces, and nothing waits here.
     *
     * @param memory what is shared with it
     * @param offset where in there the entries are
     * @return index of the next completion
     */
    public long moveTo(MemorySegment memory, long offset) {
        long next = tail;
        for (long index = next; index <= next + mask; index++) {
            OffHeap.putLong(ownDetail(index), 0);
        }
        move(memory.address() + offset, memory);
        return next;
    }

    /** The next completion's index, while another process produces. */
    public long nextForeign() {
        return end();
    }

    /** Lets this process produce the next completion, while the other one waits for it to do so. */
    public void takeOver() {
        tailRelease(end());
    }

    private void move(long first, MemorySegment foreign) {
        paused = true;
        Fences.heavy();
        core.guard().awaitQuiescent();
        entries = first;
        inbox = foreign;
        paused = false;
    }

    /** Drops completions and receives alike; only while nobody produces or posts. */
    public void discard() {
        if (inbox != null) {
            takeOver();
        }
        long posted = queue.postedAcquire();
        dropUntil(posted);
        if (inbox != null) {
            move(queue.completions(), null);
        }
        tailRelease(posted);
        psn = 0;
        sealed = false;
    }

    /** Index before which every slot may be posted again. */
    long freeBefore() {
        return headAcquire();
    }

    @Override
    boolean isCounted(long index) {
        return Detail.isCounted(OffHeap.getLong(ownDetail(index)));
    }

    /** Where the owner notes what it knows of an entry; in the entry itself, while no other process produces. */
    private long ownDetail(long index) {
        return queue.completions() + ((index & mask) << ReceiveCompletionLayout.SHIFT) + ReceiveCompletionLayout.DETAIL;
    }

    private long entry(long index) {
        return entries + ((index & mask) << ReceiveCompletionLayout.SHIFT);
    }
}
