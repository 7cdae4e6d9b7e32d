package io.verbena.nic.direct;

import io.verbena.nic.ring.Detail;
import io.verbena.nic.ring.SharedQueue;
import io.verbena.verbs.Access;
import io.verbena.verbs.WcFlags;
import io.verbena.verbs.WcOpcode;
import io.verbena.verbs.WcStatus;

/**
 * Delivers messages of a connection to a peer that draws its receives from a shared receive queue. A receive taken and
 * not completed is posted again, whatever happens in between. Used by the holder of the send queue.
 */
final class SharedDelivery {
    private final Link link;
    private final Transfer transfer;
    private final Buffers target;
    private final WindowOps windows;
    private SharedReceives receives;
    private Endpoint peer;
    private int taken = SharedQueue.NONE;

    SharedDelivery(Link link, Transfer transfer, Buffers target, WindowOps windows) {
        this.windows = windows;
        this.link = link;
        this.transfer = transfer;
        this.target = target;
    }

    /** Takes a receive of the peer; false when there is none. */
    boolean take() {
        receives = link.shared;
        peer = (Endpoint) link.peer;
        taken = receives.queue().take();
        return taken >= 0;
    }

    /** Completes the receive taken; false when the completion queue is full. */
    boolean finish(long detail, int imm, boolean solicited) {
        long numbers = (long) peer.qpNum() << Integer.SIZE;
        if (!receives.lane().produce(taken, detail, imm, numbers, solicited, peer.receiveLane().counters())) {
            abandon();
            return false;
        }
        taken = SharedQueue.NONE;
        return true;
    }

    /** Posts the receive taken again, if there is one. */
    void abandon() {
        if (taken >= 0) {
            receives.queue().giveBack(taken);
            taken = SharedQueue.NONE;
        }
    }

    /** Delivers a SEND; returns an outcome of the executor. */
    int message(Buffers source, long length, int flags, int imm, boolean solicited) {
        if (!take()) {
            return Outcome.NOT_READY;
        }
        SharedQueue queue = receives.queue();
        if (length > queue.totalBytes(taken)) {
            return refuse(WcStatus.LOC_LEN_ERR, WcStatus.REM_INV_REQ_ERR);
        }
        target.overBuffers(link.peerLocal(), queue.firstBuffer(taken), queue.bufferCount(taken), Access.LOCAL_WRITE);
        int status = target.allow(length) ? transfer.message(source, target) : Outcome.RECEIVE_FAULT;
        if (status == Outcome.RECEIVE_FAULT) {
            return refuse(WcStatus.LOC_PROT_ERR, WcStatus.REM_OP_ERR);
        }
        if (status != 0) {
            abandon();
            return status;
        }
        if (flags == WcFlags.WITH_INV && !windows.invalidateRemote(imm)) {
            return refuse(WcStatus.REM_INV_REQ_ERR, WcStatus.SUCCESS);
        }
        return finish(Detail.of(length, WcOpcode.RECV.code(), 0, flags), imm, solicited) ? 0 : Outcome.OVERFLOW;
    }

    private int refuse(WcStatus theirs, WcStatus ours) {
        link.peer.nicCounters().receiveRefused(theirs);
        link.peer.enterError(null);
        return finish(Detail.of(0, WcOpcode.RECV.code(), theirs.code(), 0), 0, true) ? ours.code() : Outcome.OVERFLOW;
    }
}
