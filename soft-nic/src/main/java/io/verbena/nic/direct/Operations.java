package io.verbena.nic.direct;

import io.verbena.nic.memory.KeyCache;
import io.verbena.nic.ring.Detail;
import io.verbena.nic.ring.SendQueue;
import io.verbena.nic.ring.SendWqe;
import io.verbena.verbs.Access;
import io.verbena.verbs.AsyncEvent.QueuePairEvent.Kind;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.WcFlags;
import io.verbena.verbs.WcOpcode;
import io.verbena.verbs.WcStatus;
import java.lang.foreign.MemorySegment;

/**
 * What requests do: every check in the order of the specification, then the transfer and what the peer is told. What
 * comes of one try is an outcome: 0, a status, or one of the codes here. Used by the holder of the send queue, inside
 * its guard.
 */
final class Operations {
    /** When to look again whether memory is mapped, or a peer found. */
    private static final long MAPPING_LOOK_NS = 50_000;

    private final Endpoint self;
    private final Link link;
    private final Datagrams datagrams;
    private final Transfer transfer;
    private final Buffers source = new Buffers();
    private final Buffers target = new Buffers();
    // Made with the first request that needs them.
    private SharedDelivery sharedDelivery;
    private WindowOps windows;
    private Placement placement;
    private Delegation delegation;
    /** The payload of a request of another process; null for own requests. */
    private MemorySegment payload;
    private long length;

    Operations(Endpoint self, Link link, SendQueue queue) {
        this.self = self;
        this.link = link;
        transfer = new Transfer(link);
        datagrams = self.type() == QueuePairType.UD ? new Datagrams(self, transfer, queue.depth()) : null;
    }

    /** Where datagrams go; null unless this is a UD queue pair. */
    Datagrams datagrams() {
        return datagrams;
    }

    /** Bytes of the request tried last. */
    long length() {
        return length;
    }

    /** The request had no bytes to move, and no peer. */
    void concernedNobody() {
        length = 0;
    }

    private boolean isReliable() {
        return self.type() == QueuePairType.RC;
    }

    /** Tries a request. */
    int attempt(long wqe, long sequence) {
        if (datagrams != null) {
            return attemptDatagram(wqe, sequence);
        }
        if (delegation != null && delegation.isPending()) {
            return isAwaitingOwner() ? Outcome.PENDING : end(wqe);
        }
        int outcome = attempt(wqe);
        if (outcome == Outcome.DELEGATE && link.peer.isMapping()) {
            return Outcome.PENDING;
        }
        return outcome == Outcome.DELEGATE ? delegation().begin(wqe, source, length) : outcome;
    }

    /** Tries a request of another process. */
    int attemptFor(long wqe, MemorySegment itsPayload) {
        payload = itsPayload;
        try {
            return attempt(wqe);
        } finally {
            payload = null;
        }
    }

    private int end(long wqe) {
        link.isUsable(); // what was remembered before a change is forgotten
        transfer.begin();
        takeLocal(wqe, answerRights(SendWqe.opcode(wqe)));
        int outcome = delegation.end(wqe, source, length);
        return outcome == Outcome.UNANSWERED ? unanswered() : outcome;
    }

    private Delegation delegation() {
        if (delegation == null) {
            delegation = new Delegation(link, transfer);
        }
        return delegation;
    }

    /** Whether a request was handed to the peer's owner, who may still be at work. */
    boolean isAwaitingOwner() {
        return delegation != null && delegation.isPending() && !delegation.isSettled();
    }

    /** Whether the request at the head has begun to unbind a window. */
    boolean isUnbinding() {
        return windows != null && windows.isUnbinding();
    }

    /** How long to wait before asking that again. */
    long lookNs() {
        if (isUnbinding()) {
            return Progress.SEAL_RETRY_NS;
        }
        return delegation != null && delegation.isPending() ? delegation.lookNs() : MAPPING_LOOK_NS;
    }

    /** Forgets what was handed over or begun, because everything was dropped. */
    void drop() {
        if (delegation != null) {
            delegation.drop();
        }
        if (windows != null) {
            windows.drop();
        }
    }

    private int attempt(long wqe) {
        Opcode opcode = Opcode.ofCode(SendWqe.opcode(wqe));
        boolean reads = answerRights(opcode.code()) != 0;
        if ((reads || opcode == Opcode.ATOMIC_WRITE) && self.path().requester().maxReads() == 0) {
            return WcStatus.LOC_QP_OP_ERR.code();
        }
        transfer.begin();
        boolean usable = link.isUsable();
        takeLocal(wqe, answerRights(opcode.code()));
        // What is gathered is looked at before anything is sent; where an answer goes, when there is one.
        if ((usable || !reads) && !source.allow(length)) {
            return WcStatus.LOC_PROT_ERR.code();
        }
        if (!usable) {
            return unanswered();
        }
        if (isForOwner(opcode)) {
            return Outcome.DELEGATE;
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

    /** What the local buffers of a request must allow. */
    private static int answerRights(int opcode) {
        return Delegation.answersWithPayload(opcode) ? Access.LOCAL_WRITE : 0;
    }

    /** Whether only the peer's owner can execute such requests. */
    private boolean isForOwner(Opcode opcode) {
        return link.isForeign() && switch (opcode) {
            case SEND_WITH_INV, FLUSH -> true;
            case SEND, SEND_WITH_IMM, RDMA_WRITE_WITH_IMM -> link.isDelegating();
            default -> false;
        };
    }

    /** Nobody answers now; when nobody ever will, it is no use to try again. */
    private int unanswered() {
        Abroad abroad = self.abroad();
        if (abroad != null && !abroad.isHopeful(link) && isReliable()) {
            return WcStatus.RETRY_EXC_ERR.code();
        }
        // A peer that is being looked for has not been asked yet.
        return abroad != null && abroad.isLooking() ? Outcome.PENDING : Outcome.UNANSWERED;
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
        if (payload != null) {
            length = payload.byteSize();
            source.overPlain(payload, payload.address(), length);
        } else if (count == SendWqe.INLINE) {
            length = SendWqe.inlineLength(wqe);
            source.overPlain(self.requester().queue.memory(), SendWqe.buffer(wqe, 0), length);
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
            return Outcome.NOT_READY;
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
        if (status == Outcome.RECEIVE_FAULT) {
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
                    ? Outcome.NOT_READY : refuse(Kind.QP_ACCESS_ERR, WcStatus.REM_ACCESS_ERR);
        }
        if (withImm && !takeReceive()) {
            return Outcome.NOT_READY;
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

    /** Binds and unbinds windows. */
    WindowOps windows() {
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

    /** Gives back the receive that a request took and did not complete. */
    void abandonReceive() {
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
        if (status == Outcome.OVERFLOW) {
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
        if (link.isForeign()) {
            return Outcome.DELEGATE;
        }
        link.peer.nicCounters().refused(status);
        if (!isReliable()) {
            if (event == Kind.QP_FATAL) {
                link.peer.enterError(event);
            }
            return Outcome.LOST;
        }
        link.peer.enterError(event);
        return status.code();
    }

    /**
     * The peer refuses a message: its receive ends in error. On an unreliable connection a message too long leaves the
     * receive for the next one; a receive whose memory is not its own fails there too: it would lose every message.
     */
    private int refuseReceive(WcStatus theirs, WcStatus ours) {
        if (link.isForeign()) {
            return Outcome.DELEGATE;
        }
        link.peer.nicCounters().receiveRefused(theirs);
        if (!isReliable() && theirs == WcStatus.LOC_LEN_ERR) {
            return Outcome.LOST;
        }
        link.peer.enterError(null);
        if (!link.lane.produce(Detail.of(0, WcOpcode.RECV.code(), theirs.code(), 0), 0, true)) {
            link.peer.enterError(Kind.QP_FATAL);
        }
        return isReliable() ? ours.code() : Outcome.LOST;
    }
}
