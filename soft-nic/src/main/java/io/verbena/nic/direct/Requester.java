package io.verbena.nic.direct;

import io.verbena.nic.memory.Generation;
import io.verbena.nic.memory.OffHeap;
import io.verbena.nic.memory.Roster;
import io.verbena.nic.ring.Detail;
import io.verbena.nic.ring.SendLane;
import io.verbena.nic.ring.SendQueue;
import io.verbena.nic.ring.SendWqe;
import io.verbena.verbs.Access;
import io.verbena.verbs.AsyncEvent.QueuePairEvent.Kind;
import io.verbena.verbs.Destination;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.WcOpcode;
import java.lang.invoke.VarHandle;

/**
 * Posts and executes the sends of one queue pair. The common cases (one buffer, a connected peer, nothing waiting) are
 * executed in the posting methods themselves; everything else becomes an entry of the {@link SendQueue} that
 * {@link Executor} works off, at once or when {@link Progress} comes by.
 *
 * <p>Two guards tell control calls whether memory is in use: one for a single-threaded poster that keeps the claim on
 * its send queue, one for everybody who takes the claim for a while.
 */
public final class Requester extends Roster.Member {
    private static final long FAST = Long.MAX_VALUE;
    private static final int PLAIN_FLAGS = SendFlags.FENCE | SendFlags.SIGNALED | SendFlags.SOLICITED;
    private static final int NO_OPCODE = -1;
    private static final int RDMA_WRITE = Opcode.RDMA_WRITE.code();
    private static final int RDMA_READ = Opcode.RDMA_READ.code();
    // What completions say, but for the length: constants, since the JVM reads a field of an enum constant every time.
    private static final long WRITTEN = Detail.of(0, WcOpcode.RDMA_WRITE.code(), 0, 0);
    private static final long READ = Detail.of(0, WcOpcode.RDMA_READ.code(), 0, 0);
    private static final long SENT = Detail.of(0, WcOpcode.SEND.code(), 0, 0);
    private static final long RECEIVED = Detail.of(0, WcOpcode.RECV.code(), 0, 0);

    final Endpoint self;
    final SendQueue queue;
    final SendLane lane;
    private final PostingRules rules;
    private final boolean singleThreaded;
    private final boolean signalAll;
    private final boolean reads;
    private final boolean datagram;
    private final long maxPlain;
    private final Generation generation = Fabric.LOCAL.generation();
    private final Progress progress;
    private final Link link;
    final Executor executor;
    /** What executes the entries when only packets reach the peer, holding the claim; else null. */
    private Outlet outlet;
    private boolean keepsClaim;
    private long seen = -1;

    Requester(Endpoint self, SendQueue queue, SendLane lane, PostingRules rules) {
        this.self = self;
        this.queue = queue;
        this.lane = lane;
        this.rules = rules;
        singleThreaded = rules.singleThreaded();
        signalAll = rules.signalAll();
        reads = rules.type() == QueuePairType.RC;
        datagram = rules.isDatagram();
        maxPlain = rules.maxSge() == 0 ? 0 : RequestCheck.MAX_MESSAGE;
        progress = self.progress();
        link = new Link(self);
        executor = new Executor(self, link, queue, lane, rules);
    }

    // Posting: the fast paths

    /** Posts an RDMA WRITE of one buffer; see QueuePair. */
    public int postWrite(
            long wrId, long address, long length, int lkey, long remoteAddress, int rkey, int flags) {
        int refused = check(flags, length, true);
        long ticket = refused != PostStatus.OK ? refused : begin();
        if (ticket == FAST) {
            long source = link.local.translate(lkey, address, length, 0);
            long target = link.remote.translate(rkey, remoteAddress, length, Access.REMOTE_WRITE);
            if ((source | target) >= 0 && link.mayWrite(length)) {
                OffHeap.copyLastByteLast(source, target, length);
                return finish(wrId, flags, WRITTEN | link.countWrite(length));
            }
            ticket = queue.next() << 1 | 1;
        }
        return submitRdma(ticket, wrId, address, length, remoteAddress, keys(lkey, rkey), word(RDMA_WRITE, flags));
    }

    /** Posts an RDMA READ into one buffer; see QueuePair. */
    public int postRead(
            long wrId, long address, long length, int lkey, long remoteAddress, int rkey, int flags) {
        int refused = reads ? check(flags, length, false) : PostStatus.BAD_OPCODE;
        long ticket = refused != PostStatus.OK ? refused : begin();
        if (ticket == FAST) {
            long source = link.remote.translate(rkey, remoteAddress, length, Access.REMOTE_READ);
            long target = link.local.translate(lkey, address, length, Access.LOCAL_WRITE);
            if ((source | target) >= 0 && link.mayRead(length)) {
                OffHeap.copy(source, target, length);
                return finish(wrId, flags, READ | link.countRead(length));
            }
            ticket = queue.next() << 1 | 1;
        }
        return submitRdma(ticket, wrId, address, length, remoteAddress, keys(lkey, rkey), word(RDMA_READ, flags));
    }

    /** Posts a SEND of one buffer; see QueuePair. */
    public int postSend(long wrId, long address, long length, int lkey, int flags) {
        int refused = check(flags, length, true);
        long ticket = refused != PostStatus.OK ? refused : begin();
        if (ticket == FAST) {
            if (link.hasReceive() && link.isEager(length) && link.maySend(length)) {
                long source = link.local.translate(lkey, address, length, 0);
                if (source >= 0) {
                    OffHeap.copyWords(source, link.lane.payload(length), length);
                    return finishSend(wrId, length, flags);
                }
            }
            ticket = queue.next() << 1 | 1;
        }
        if (ticket < 0) {
            return ticket == PostStatus.BAD_OPCODE ? PostStatus.BAD_ADDRESS_HANDLE : (int) ticket;
        }
        SendWqe.request(queue.entry(ticket >>> 1), wrId, Opcode.SEND.code(), flags);
        return submitOne(ticket, address, length, lkey);
    }

    private int finishSend(long wrId, long length, int flags) {
        if (!link.lane.produceInline(RECEIVED | length, 0, (flags & SendFlags.SOLICITED) != 0)) {
            return refuseDelivery(wrId, flags);
        }
        return finish(wrId, flags, SENT | link.countSend(length));
    }

    private int refuseDelivery(long wrId, int flags) {
        long sequence = queue.next();
        executor.failDelivery(wrId, sequence, flags);
        return endFailed(sequence);
    }

    private int endFailed(long sequence) {
        queue.done(sequence);
        end();
        return PostStatus.OK;
    }

    /** Completes a work request that was executed in its posting method. */
    private int finish(long wrId, int flags, long detail) {
        long sequence = queue.next();
        if (link.isCutOff()) {
            executor.failCutOff(wrId, detail, sequence);
            return endFailed(sequence);
        }
        link.advancePsn(detail & 0xFFFF_FFFFL);
        if ((signalAll || (flags & SendFlags.SIGNALED) != 0) && !lane.produce(wrId, detail, sequence)) {
            self.enterError(Kind.QP_FATAL);
        }
        queue.done(sequence);
        if (keepsClaim) {
            link.exitForeign();
            queue.exitAlone();
        } else {
            end();
        }
        return PostStatus.OK;
    }

    // Posting: the other cases

    /** Posts a fetch and add; see QueuePair. */
    public int postFetchAndAdd(
            long wrId, long address, int lkey, long remoteAddress, int rkey, long add, int flags) {
        int refused = reads ? check(flags, Long.BYTES, false) : PostStatus.BAD_OPCODE;
        if (refused == PostStatus.OK && (remoteAddress & Long.BYTES - 1) != 0) {
            refused = PostStatus.ATOMIC_MISALIGNED;
        }
        long ticket = refused != PostStatus.OK ? refused : slowBegin();
        if (ticket < 0) {
            return (int) ticket;
        }
        long wqe = queue.entry(ticket >>> 1);
        SendWqe.request(wqe, wrId, Opcode.ATOMIC_FETCH_AND_ADD.code(), flags);
        SendWqe.remote(wqe, remoteAddress, rkey);
        SendWqe.operands(wqe, add, 0);
        return submitOne(ticket, address, Long.BYTES, lkey);
    }

    /** Posts a datagram of one buffer; see QueuePair. */
    public int postDatagram(long wrId, long address, long length, int lkey, Destination to, int flags) {
        int refused = datagram ? check(flags, length, true) : PostStatus.BAD_OPCODE;
        Route route = refused == PostStatus.OK ? rules.route(to.handle()) : null;
        long ticket = refused != PostStatus.OK ? refused : route == null ? PostStatus.BAD_ADDRESS_HANDLE : slowBegin();
        if (ticket < 0) {
            return (int) ticket;
        }
        SendWqe.request(queue.entry(ticket >>> 1), wrId, Opcode.SEND.code(), flags);
        executor.datagrams().address(ticket >>> 1, queue.entry(ticket >>> 1), route, to.qpNum(), to.qkey());
        return submitOne(ticket, address, length, lkey);
    }

    PostingRules rules() {
        return rules;
    }

    /** The slow end of WRITE and READ; not in the fast path, so that the JVM can inline that one. */
    private int submitRdma(
            long ticket, long wrId, long address, long length, long remoteAddress, long keys, int word) {
        if (ticket < 0) {
            return (int) ticket;
        }
        long wqe = queue.entry(ticket >>> 1);
        SendWqe.request(wqe, wrId, word >>> Short.SIZE, word & 0xFFFF);
        SendWqe.remote(wqe, remoteAddress, (int) keys);
        return submitOne(ticket, address, length, (int) (keys >>> Integer.SIZE));
    }

    private static long keys(int lkey, int rkey) {
        return (long) lkey << Integer.SIZE | rkey & 0xFFFF_FFFFL;
    }

    private static int word(int opcode, int flags) {
        return opcode << Short.SIZE | flags;
    }

    /** Writes the only buffer, or its bytes when they are to be taken now, and hands the entry over. */
    private int submitOne(long ticket, long address, long length, int lkey) {
        long wqe = queue.entry(ticket >>> 1);
        boolean good = true;
        if ((SendWqe.flags(wqe) & SendFlags.INLINE) != 0) {
            SendWqe.count(wqe, SendWqe.INLINE);
            SendWqe.inlineLength(wqe, (int) length);
            good = length == 0 || rules.inlineSource().copy(
                    lkey, address, length, queue.memory(), queue.inlineOffset(ticket >>> 1));
        } else if (rules.maxSge() == 0) {
            SendWqe.count(wqe, 0);
            good = length == 0;
        } else {
            SendWqe.buffer(wqe, address, length, lkey);
        }
        return submitChecked(ticket, good);
    }

    int submitChecked(long ticket, boolean good) {
        if (!good) {
            // The sequence can't be given back: it passes without effect and without completion.
            SendWqe.request(queue.entry(ticket >>> 1), 0, NO_OPCODE, 0);
        }
        submit(ticket);
        return good ? PostStatus.OK : PostStatus.INLINE_NOT_REGISTERED;
    }

    private int check(int flags, long length, boolean mayInline) {
        if ((flags & ~PLAIN_FLAGS) == 0 && Long.compareUnsigned(length, maxPlain) <= 0) {
            return PostStatus.OK;
        }
        return RequestCheck.check(flags, length, mayInline, rules);
    }

    // The claim on the send queue

    /** FAST: inside a guard, holding the claim, connected; a ticket: a sequence to submit; or a negative code. */
    private long begin() {
        progress.runBeforePost();
        if (singleThreaded && keepsClaim) {
            queue.enterAlone();
            if (generation.get() == seen && queue.hasSlot(queue.next())) {
                return FAST;
            }
            queue.exitAlone();
        }
        if (datagram) {
            return PostStatus.BAD_OPCODE; // it needs an address
        }
        return singleThreaded ? beginAlone(true, 1) : beginShared(true, 1);
    }

    /** Like {@link #begin} without the fast path. */
    long slowBegin() {
        return beginBatch(1);
    }

    /** The same for several requests in a row. */
    long beginBatch(int count) {
        progress.runBeforePost();
        return singleThreaded ? beginAlone(false, count) : beginShared(false, count);
    }

    private long beginAlone(boolean fast, int count) {
        // The claim is taken inside the guard: who resets waits for the guard, and then finds keepsClaim right.
        queue.enterAlone();
        int refused = self.sendRefusal();
        if (refused == PostStatus.OK && !keepsClaim) {
            keepsClaim = queue.tryClaimIdle();
        }
        if (refused != PostStatus.OK || !keepsClaim) {
            queue.exitAlone();
            return refused != PostStatus.OK ? refused : beginShared(false, count);
        }
        // Only now: a reset that this guard did not make wait has unmapped what lies there.
        link.enterForeign();
        generation.roster().enlist(this);
        if (!queue.hasSlot(queue.next() + count - 1)) {
            link.exitForeign();
            queue.exitAlone();
            return PostStatus.QUEUE_FULL;
        }
        return fast && isConnected() ? FAST : queue.next() << 1 | 1;
    }

    private long beginShared(boolean fast, int count) {
        int refused = self.sendRefusal();
        if (refused != PostStatus.OK) {
            return refused;
        }
        long ticket = queue.reserve(count);
        if (ticket < 0 || (ticket & 1) == 0) {
            return ticket;
        }
        enterClaimed();
        generation.roster().enlist(this);
        return fast && ticket >>> 1 == queue.next() && isConnected() ? FAST : ticket;
    }

    /** Whether the queue pair is in RTS with a peer that serves it, as of the current generation. */
    private boolean isConnected() {
        long now = generation.get();
        if (now == seen) {
            return true;
        }
        boolean connected = executor.isConnected();
        // With a peer in another process every post looks at its generation too.
        seen = connected && !link.isForeign() ? now : -1;
        return connected;
    }

    private void submit(long ticket) {
        queue.publish(ticket >>> 1);
        settle(ticket);
    }

    /** Hands over entries in a row; when they are not good they pass without effect. */
    void submitBatch(long ticket, int count, boolean good) {
        for (int i = 0; i < count; i++) {
            long sequence = (ticket >>> 1) + i;
            if (!good) {
                SendWqe.request(queue.entry(sequence), 0, NO_OPCODE, 0);
            }
            queue.publish(sequence);
        }
        settle(ticket);
    }

    private void settle(long ticket) {
        if ((ticket & 1) == 0) {
            // The entry must be visible before the claim is read, or it could be left to an executor that has gone.
            VarHandle.fullFence();
            leave();
            return;
        }
        try {
            Drain.published(this);
        } finally {
            end();
        }
    }

    /** Leaves entries to who holds the claim, or to whoever finds it free. */
    private void leave() {
        if (outlet != null) {
            outlet.ring();
        } else {
            Drain.waiting(this);
        }
    }

    /** Enters the guards of whoever holds the claim for a while. */
    void enterClaimed() {
        queue.enterClaimed();
        link.enterForeign();
    }

    /** Leaves the guards of whoever holds the claim for a while. */
    void exitClaimed() {
        link.exitForeign();
        queue.exitClaimed();
    }

    /** Gives up what begin took. */
    private void end() {
        link.exitForeign();
        if (!keepsClaim) {
            queue.exitClaimed();
            queue.unclaim();
            Drain.waiting(this);
        } else if (queue.hasNext()) {
            // Something has to wait: from now on whoever drives progress may take the claim.
            long sequences = queue.publishedEnd();
            keepsClaim = false;
            progress.register(self);
            queue.exitAlone();
            queue.unclaim(sequences);
            Drain.waiting(this);
        } else {
            queue.exitAlone();
        }
    }

    /** Leaves and enters the guard, for control calls that wait. A kept claim becomes one that a reset waits for. */
    void breathe() {
        link.exitForeign();
        if (keepsClaim) {
            queue.claimFor(queue.publishedEnd());
            keepsClaim = false;
            queue.enterClaimed();
            queue.exitAlone();
        } else {
            queue.exitClaimed();
            queue.enterClaimed();
        }
        link.enterForeign();
    }

    // Progress

    /** Retries and flushes what is due; true while something waits. */
    boolean advance() {
        executor.resume();
        Drain.waiting(this);
        executor.reportDrained(queue.hasNext());
        return queue.hasNext();
    }

    long nextDeadline() {
        return executor.deadline();
    }

    // Control

    /** The send queue. */
    public SendQueue queue() {
        return queue;
    }

    @Override
    protected long activity() {
        return queue.aloneSample() + queue.claimedSample();
    }

    @Override
    protected void awaitQuiescent() {
        queue.awaitQuiescent();
    }

    /** Leaves every entry to something else, which holds the claim from now on. */
    void outlet(Outlet newOutlet) {
        outlet = newOutlet;
        queue.awaitClaim();
    }

    /** Drops everything posted; in RESET, when no post is in flight. */
    void discard(boolean close) {
        if (close) {
            queue.close();
        }
        if (outlet != null) {
            queue.discard();
            return;
        }
        if (keepsClaim) {
            keepsClaim = false;
            queue.unclaim(queue.next());
        }
        queue.awaitClaim();
        queue.discard();
        executor.restart();
        link.forgetPeer();
        seen = -1;
        queue.unclaim();
    }

    /** Next packet sequence number to send. */
    public int psn() {
        return link.psn();
    }

    /** Sets the next packet sequence number to send; before RTS. */
    public void psn(int value) {
        link.psn(value);
    }

    /** Whether a work request begun before SQD is not finished. */
    public boolean isDraining() {
        return outlet != null ? outlet.isDraining() : executor.hasBegun() && queue.hasNext();
    }
}
