package io.verbena.nic.direct;

import io.verbena.nic.counters.NicCounters;
import io.verbena.nic.counters.QueuePairCounters;
import io.verbena.nic.memory.KeyCache;
import io.verbena.nic.ring.Detail;
import io.verbena.nic.ring.SendLane;
import io.verbena.nic.ring.SendQueue;
import io.verbena.nic.ring.SendWqe;
import io.verbena.verbs.Access;
import io.verbena.verbs.AsyncEvent.QueuePairEvent.Kind;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.WcFlags;
import io.verbena.verbs.WcOpcode;
import io.verbena.verbs.WcStatus;
import java.lang.foreign.MemorySegment;

/**
 * Executes entries of a send queue with every check in the order of the specification, and decides what an outcome
 * means: completion, retry later, or error at one or both ends. Used by the holder of the send queue, inside its guard.
 */
final class Executor {
    private static final int NOT_READY = -1;
    private static final int UNANSWERED = Transfer.UNANSWERED;
    private static final int NO_OPCODE = -1;
    /** The peer of an unreliable connection lost the message: a success for the sender. */
    private static final int LOST = -4;

    private final Endpoint self;
    private final MemorySegment entries;
    private final Link link;
    private final SendLane lane;
    private final boolean signalAll;
    private final boolean reliable;
    private final Datagrams datagrams;
    // Made with the first request that needs them.
    private SharedDelivery sharedDelivery;
    private WindowOps windows;
    private Placement placement;
    private final Retry retry = new Retry();
    private final Transfer transfer;
    private final Buffers source = new Buffers();
    private final Buffers target = new Buffers();
    private volatile boolean stalled;
    private long length;

    Executor(Endpoint self, Link link, SendQueue queue, SendLane lane, PostingRules rules) {
        this.self = self;
        entries = queue.memory();
        this.link = link;
        this.lane = lane;
        signalAll = rules.signalAll();
        reliable = rules.type() == QueuePairType.RC;
        transfer = new Transfer(link);
        datagrams = rules.isDatagram() ? new Datagrams(self, transfer, queue.depth()) : null;
    }

    /** Where datagrams go; null unless this is a UD queue pair. */
    Datagrams datagrams() {
        return datagrams;
    }

    /** Whether the fast path may be used. */
    boolean isConnected() {
        return link.isUsable() && self.state() == QueuePairState.RTS;
    }

    // What progress asks; by any thread

    boolean isStalled() {
        return stalled;
    }

    void resume() {
        stalled = false;
    }

    long deadline() {
        return retry.deadline();
    }

    boolean hasBegun() {
        return retry.hasBegun();
    }

    void reportDrained(boolean waiting) {
        if (self.state() == QueuePairState.SQD && !(waiting && retry.hasBegun())) {
            self.drained();
        }
    }

    /** Forgets the request at the head, because everything was dropped. */
    void restart() {
        retry.reset();
        stalled = false;
        link.psn(0);
    }

    // Execution

    /**
     * Executes an entry if it may be executed now.
     *
     * @return whether it is done; false when it has to wait
     */
    boolean step(long wqe, long sequence) {
        if (SendWqe.opcode(wqe) == NO_OPCODE) {
            return true;
        }
        switch (self.state()) {
            case ERR, SQE -> {
                complete(wqe, sequence, WcStatus.WR_FLUSH_ERR.code());
                return true;
            }
            case RESET, INIT, RTR -> {
                // Posted just before the queue pair was reset: dropped like everything else.
                retry.reset();
                return true;
            }
            case SQD -> {
                if (!retry.hasBegun()) {
                    stalled = true;
                    return false;
                }
            }
            case RTS -> { }
        }
        if (retry.isWaiting()) {
            if (!retry.isDue(System.nanoTime())) {
                stalled = true;
                return false;
            }
            QueuePairCounters.timerRanOut(link.counters, retry.isAwaitingAnswer());
            if (retry.isExhausted(self.path().requester().retryCount())) {
                return fail(wqe, sequence, WcStatus.RETRY_EXC_ERR.code());
            }
        }
        if (WindowOps.isLocal(SendWqe.opcode(wqe))) {
            return concludeLocal(wqe, sequence, windows().execute(wqe));
        }
        return conclude(wqe, sequence, datagrams == null ? link.settled(attempt(wqe)) : attemptDatagram(wqe, sequence));
    }

    /** Ends a request that no peer took part in: no packet is counted. */
    private boolean concludeLocal(long wqe, long sequence, int outcome) {
        if (outcome == WindowOps.DROPPED) {
            retry.reset();
        } else if (outcome != 0) {
            fail(wqe, sequence, outcome);
        } else {
            length = 0;
            QueuePairCounters.executed(link.counters, SendWqe.opcode(wqe), 0);
            complete(wqe, sequence, 0);
        }
        return true;
    }

    private boolean conclude(long wqe, long sequence, int outcome) {
        if (outcome == 0) {
            // Before the completion: who has polled it may ask for the next packet sequence number.
            link.advancePsn(length);
            QueuePairCounters.executed(link.counters, SendWqe.opcode(wqe), length);
            complete(wqe, sequence, 0);
            return true;
        }
        if (!reliable && (outcome == LOST || outcome == NOT_READY || outcome == UNANSWERED)) {
            link.countPackets(length);
            counters().lost(link.counters, SendWqe.opcode(wqe), length);
            complete(wqe, sequence, 0);
            return true;
        }
        if (outcome == NOT_READY) {
            counters().notReady(link.counters, link.peer.nicCounters());
        }
        Path.Requesting rules = self.path().requester();
        int status = switch (outcome) {
            case NOT_READY -> retry.notReady(
                    System.nanoTime(), rules.rnrRetry(), link.peerPath.responder().rnrWaitNs());
            case UNANSWERED -> retry.unanswered(System.nanoTime(), rules.ackTimeoutNs());
            default -> outcome;
        };
        if (status == Retry.AGAIN) {
            stalled = true;
            return false;
        }
        return fail(wqe, sequence, status);
    }

    /** Ends an entry whose execution threw what nothing here throws. */
    void abandon(long wqe, long sequence, boolean completed) {
        abandonReceive();
        self.enterError(Kind.QP_FATAL);
        if (!completed) {
            complete(wqe, sequence, WcStatus.LOC_QP_OP_ERR.code());
        }
    }

    private boolean fail(long wqe, long sequence, int status) {
        self.enterSendError();
        complete(wqe, sequence, status);
        return true;
    }

    private NicCounters counters() {
        return self.receiveLane().nicCounters();
    }

    private void complete(long wqe, long sequence, int status) {
        retry.reset();
        counters().sendEnded(link.counters, status);
        if (status != 0 || signalAll || (SendWqe.flags(wqe) & SendFlags.SIGNALED) != 0) {
            long detail = Detail.of(status == 0 ? length : 0, CompletionOpcodes.of(SendWqe.opcode(wqe)), status, 0);
            if (!lane.produce(SendWqe.wrId(wqe), detail, sequence)) {
                self.enterError(Kind.QP_FATAL);
            }
        }
    }

    private int attempt(long wqe) {
        Opcode opcode = Opcode.ofCode(SendWqe.opcode(wqe));
        boolean reads = opcode == Opcode.RDMA_READ || opcode == Opcode.ATOMIC_CMP_AND_SWP
                || opcode == Opcode.ATOMIC_FETCH_AND_ADD;
        if ((reads || opcode == Opcode.ATOMIC_WRITE) && self.path().requester().maxReads() == 0) {
            return WcStatus.LOC_QP_OP_ERR.code();
        }
        transfer.begin();
        boolean usable = link.isUsable();
        takeLocal(wqe, reads ? Access.LOCAL_WRITE : 0);
        // What is gathered is looked at before anything is sent; where an answer goes, when there is one.
        if ((usable || !reads) && !source.allow(length)) {
            return WcStatus.LOC_PROT_ERR.code();
        }
        if (!usable) {
            return unanswered();
        }
        return switch (opcode) {
            case SEND -> send(wqe, 0);
            case SEND_WITH_IMM -> send(wqe, WcFlags.WITH_IMM);
            case SEND_WITH_INV -> send(wqe, WcFlags.WITH_INV);
            case RDMA_WRITE, RDMA_WRITE_WITH_IMM -> write(wqe, opcode == Opcode.RDMA_WRITE_WITH_IMM);
            case RDMA_READ -> read(wqe);
            case ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD -> atomic(wqe, opcode == Opcode.ATOMIC_CMP_AND_SWP);
            case ATOMIC_WRITE -> atomicWrite(wqe);
            case FLUSH -> flush(wqe);
            case LOCAL_INV, BIND_MW -> WcStatus.LOC_QP_OP_ERR.code(); // never here: local
        };
    }

    /** Nobody answers now; when nobody ever will, it is no use to try again. */
    private int unanswered() {
        boolean hopeful = self.abroad() == null || self.abroad().isHopeful();
        return hopeful || !reliable ? UNANSWERED : WcStatus.RETRY_EXC_ERR.code();
    }

    private int attemptDatagram(long wqe, long sequence) {
        link.isUsable(); // never: but what was remembered before a change is forgotten
        takeLocal(wqe, 0);
        if (!source.allow(length)) {
            return WcStatus.LOC_PROT_ERR.code();
        }
        boolean withImm = SendWqe.opcode(wqe) == Opcode.SEND_WITH_IMM.code();
        return datagrams.send(wqe, sequence, source, length, withImm);
    }

    private void takeLocal(long wqe, int rights) {
        int count = SendWqe.count(wqe);
        if (count == SendWqe.INLINE) {
            length = SendWqe.inlineLength(wqe);
            source.overPlain(entries, SendWqe.buffer(wqe, 0), length);
        } else {
            length = Buffers.total(SendWqe.buffer(wqe, 0), count);
            source.overBuffers(link.local, SendWqe.buffer(wqe, 0), count, rights);
        }
    }

    private int send(long wqe, int flags) {
        if (link.isCutDifferently(length)) {
            return refuse(Kind.QP_REQ_ERR, WcStatus.REM_INV_REQ_ERR);
        }
        boolean solicited = (SendWqe.flags(wqe) & SendFlags.SOLICITED) != 0;
        int imm = flags == WcFlags.WITH_INV ? SendWqe.rkey(wqe) : SendWqe.imm(wqe);
        if (link.shared != null) {
            return passOn(sharedDelivery().message(source, length, flags, imm, solicited));
        }
        if (!link.hasReceive()) {
            return NOT_READY;
        }
        long index = link.lane.nextIndex();
        if (length > link.queue.totalBytes(index)) {
            return refuseReceive(WcStatus.LOC_LEN_ERR, WcStatus.REM_INV_REQ_ERR);
        }
        boolean eager = link.isEager(length);
        if (eager) {
            target.overPlain(link.lane.block(), link.lane.payload(length), length);
        } else {
            target.overBuffers(link.peerLocal(), link.queue.buffer(index, 0), link.queue.bufferCount(index),
                    Access.LOCAL_WRITE);
            if (!target.allow(length)) {
                return refuseReceive(WcStatus.LOC_PROT_ERR, WcStatus.REM_OP_ERR);
            }
        }
        int status = transfer.message(source, target);
        if (status == Transfer.RECEIVE_FAULT) {
            return refuseReceive(WcStatus.LOC_PROT_ERR, WcStatus.REM_OP_ERR);
        }
        if (status != 0) {
            return status;
        }
        if (flags == WcFlags.WITH_INV && !windows().invalidateRemote(imm)) {
            // The data has arrived and is acknowledged; only the receiver learns (IBA error class J).
            return refuseReceive(WcStatus.REM_INV_REQ_ERR, WcStatus.SUCCESS);
        }
        long detail = Detail.of(length, WcOpcode.RECV.code(), 0, flags);
        boolean delivered = eager
                ? link.lane.produceInline(detail, imm, solicited)
                : link.lane.produce(detail, imm, solicited);
        return delivered ? 0 : refuse(Kind.QP_FATAL, WcStatus.REM_OP_ERR);
    }

    private int write(long wqe, boolean withImm) {
        if ((link.peerPath.responder().accessFlags() & Access.REMOTE_WRITE) == 0 || link.isCutDifferently(length)) {
            return refuse(Kind.QP_REQ_ERR, WcStatus.REM_INV_REQ_ERR);
        }
        if (!remoteAllows(wqe, length, Access.REMOTE_WRITE)) {
            // The key is looked at with the first packet, before that the receive if it is the last one too; none is
            // taken, since others may draw from the same receives.
            return withImm && link.isOnePacket(length) && !hasReceive()
                    ? NOT_READY : refuse(Kind.QP_ACCESS_ERR, WcStatus.REM_ACCESS_ERR);
        }
        if (withImm && !takeReceive()) {
            return NOT_READY;
        }
        int status = transfer.remote(source, SendWqe.remoteAddress(wqe), SendWqe.rkey(wqe), Access.REMOTE_WRITE);
        if (status != 0) {
            abandonReceive();
            return passOn(status);
        }
        if (withImm) {
            long detail = Detail.of(length, WcOpcode.RECV_RDMA_WITH_IMM.code(), 0, WcFlags.WITH_IMM);
            boolean solicited = (SendWqe.flags(wqe) & SendFlags.SOLICITED) != 0;
            boolean delivered = link.shared != null
                    ? sharedDelivery().finish(detail, SendWqe.imm(wqe), solicited)
                    : link.lane.produce(detail, SendWqe.imm(wqe), solicited);
            if (!delivered) {
                return refuse(Kind.QP_FATAL, WcStatus.REM_OP_ERR);
            }
        }
        return 0;
    }

    private SharedDelivery sharedDelivery() {
        if (sharedDelivery == null) {
            sharedDelivery = new SharedDelivery(link, transfer, target, windows());
        }
        return sharedDelivery;
    }

    private WindowOps windows() {
        if (windows == null) {
            windows = new WindowOps(self, link);
        }
        return windows;
    }

    private Placement placement() {
        if (placement == null) {
            placement = new Placement(link);
        }
        return placement;
    }

    private void abandonReceive() {
        if (sharedDelivery != null) {
            sharedDelivery.abandon();
        }
    }

    private boolean hasReceive() {
        return link.shared != null ? link.shared.queue().hasPosted() : link.hasReceive();
    }

    /** Makes sure that there is a receive for an immediate value. */
    private boolean takeReceive() {
        return link.shared != null ? sharedDelivery().take() : link.hasReceive();
    }

    private int read(long wqe) {
        if (!peerServes(Access.REMOTE_READ)) {
            return refuse(Kind.QP_REQ_ERR, WcStatus.REM_INV_REQ_ERR);
        }
        if (!remoteAllows(wqe, length, Access.REMOTE_READ)) {
            return refuse(Kind.QP_ACCESS_ERR, WcStatus.REM_ACCESS_ERR);
        }
        if (link.isCutDifferently(length)) {
            return WcStatus.BAD_RESP_ERR.code();
        }
        return passOn(transfer.remote(
                source, SendWqe.remoteAddress(wqe), SendWqe.rkey(wqe), Access.REMOTE_READ));
    }

    private int atomic(long wqe, boolean swap) {
        if (!peerServes(Access.REMOTE_ATOMIC)) {
            return refuse(Kind.QP_REQ_ERR, WcStatus.REM_INV_REQ_ERR);
        }
        return passOnRefusal(transfer.atomic(source, wqe, swap));
    }

    private int atomicWrite(long wqe) {
        if (!peerServes(Access.REMOTE_WRITE)) {
            return refuse(Kind.QP_REQ_ERR, WcStatus.REM_INV_REQ_ERR);
        }
        return passOnRefusal(placement().atomicWrite(source, SendWqe.remoteAddress(wqe), SendWqe.rkey(wqe)));
    }

    private int flush(long wqe) {
        int rights = Placement.rights(wqe);
        if ((link.peerPath.responder().accessFlags() & rights) != rights) {
            return refuse(Kind.QP_REQ_ERR, WcStatus.REM_INV_REQ_ERR);
        }
        return passOnRefusal(placement().flush(wqe));
    }

    private boolean peerServes(int right) {
        Path.Responding responder = link.peerPath.responder();
        return (responder.accessFlags() & right) != 0 && responder.maxReads() > 0;
    }

    private boolean remoteAllows(long wqe, long bytes, int right) {
        return bytes == 0 || link.remote.translate(
                SendWqe.rkey(wqe), SendWqe.remoteAddress(wqe), bytes, right) != KeyCache.FAULT;
    }

    // What goes wrong at the peer

    private int passOn(int status) {
        if (status == SharedDelivery.OVERFLOW) {
            return refuse(Kind.QP_FATAL, WcStatus.REM_OP_ERR);
        }
        return status == WcStatus.REM_ACCESS_ERR.code() ? refuse(Kind.QP_ACCESS_ERR, WcStatus.REM_ACCESS_ERR) : status;
    }

    /** The same for what is refused as such, without a receive that would tell. */
    private int passOnRefusal(int status) {
        return switch (WcStatus.ofCode(status)) {
            case REM_INV_REQ_ERR -> refuse(Kind.QP_REQ_ERR, WcStatus.REM_INV_REQ_ERR);
            case REM_OP_ERR -> refuse(Kind.QP_FATAL, WcStatus.REM_OP_ERR);
            default -> passOn(status);
        };
    }

    /** The peer refuses a request that took no receive; an unreliable one only loses it, unless it failed itself. */
    private int refuse(Kind event, WcStatus status) {
        link.peer.nicCounters().refused(status);
        if (!reliable) {
            if (event == Kind.QP_FATAL) {
                link.peer.enterError(event);
            }
            return LOST;
        }
        link.peer.enterError(event);
        return status.code();
    }

    /**
     * The peer refuses a message: its receive ends in error. On an unreliable connection a message too long leaves the
     * receive for the next one; a receive whose memory is not its own fails there too: it would lose every message.
     */
    private int refuseReceive(WcStatus theirs, WcStatus ours) {
        link.peer.nicCounters().receiveRefused(theirs);
        if (!reliable && theirs == WcStatus.LOC_LEN_ERR) {
            return LOST;
        }
        link.peer.enterError(null);
        if (!link.lane.produce(Detail.of(0, WcOpcode.RECV.code(), theirs.code(), 0), 0, true)) {
            link.peer.enterError(Kind.QP_FATAL);
        }
        return reliable ? ours.code() : LOST;
    }

    /** The fast path found the peer's completion queue full. */
    void failDelivery(long wrId, long sequence, int flags) {
        link.peer.enterError(Kind.QP_FATAL);
        if (!reliable) {
            counters().lost(link.counters, Opcode.SEND.code(), 0);
            if ((signalAll || (flags & SendFlags.SIGNALED) != 0)
                    && !lane.produce(wrId, Detail.of(0, WcOpcode.SEND.code(), 0, 0), sequence)) {
                self.enterError(Kind.QP_FATAL);
            }
            return;
        }
        self.enterError(null);
        counters().sendEnded(link.counters, WcStatus.REM_OP_ERR.code());
        if (!lane.produce(wrId, Detail.of(0, WcOpcode.SEND.code(), WcStatus.REM_OP_ERR.code(), 0), sequence)) {
            self.enterError(Kind.QP_FATAL);
        }
    }
}
