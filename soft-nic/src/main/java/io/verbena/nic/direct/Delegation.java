package io.verbena.nic.direct;

import io.verbena.nic.ring.ForeignLane;
import io.verbena.nic.ring.SendWqe;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.WcStatus;
import java.lang.foreign.MemorySegment;

/**
 * Has the owner of a peer in another process execute what can't be executed from here: requests that concern memory
 * which is not mapped, receives that others draw from, windows. The payload goes through memory that both processes
 * map, and so do request and answer; nobody waits for the answer, {@link Progress} looks for it. Used by the holder of
 * the send queue, inside its guard.
 */
final class Delegation {
    /** How long an answer takes at least. */
    static final long FIRST_LOOK_NS = 5_000;

    private static final long LAST_LOOK_NS = 1_000_000;

    private final Link link;
    private final Transfer transfer;
    private final Buffers payload = new Buffers();
    private Delegate delegate;
    private MemorySegment room;
    private Peer peer;
    private long lives;
    private long number;
    private long lookNs;
    private boolean pending;

    Delegation(Link link, Transfer transfer) {
        this.link = link;
        this.transfer = transfer;
    }

    /** Whether the answer of a request has not been taken. */
    boolean isPending() {
        return pending;
    }

    /** How long to wait before looking for the answer again. */
    long lookNs() {
        return lookNs;
    }

    /** Forgets the request, because the connection is over. */
    void drop() {
        pending = false;
        if (room != null) {
            delegate.done();
        }
        delegate = null;
        room = null;
        peer = null;
    }

    /** Hands a request over; returns an outcome. */
    int begin(long wqe, Buffers local, long length) {
        peer = link.peer;
        lives = peer.lives();
        delegate = peer.delegate();
        room = delegate.room(length);
        if (room == null) {
            lookNs = LAST_LOOK_NS;
            return Outcome.PENDING; // not asked yet: pending stays false, so it begins anew
        }
        if (!answersWithPayload(SendWqe.opcode(wqe)) && length > 0) {
            payload.overPlain(room, room.address() + DelegatedRequest.PAYLOAD_AT, length);
            local.restart();
            int status = transfer.message(local, payload);
            if (status != 0) {
                return status;
            }
        }
        DelegatedRequest.ask(room.address(), ++number, wqe, length, link.mtuBytes());
        delegate.ask();
        pending = true;
        lookNs = FIRST_LOOK_NS;
        return Outcome.PENDING;
    }

    /** Whether the peer answers such a request with bytes, rather than being sent some. */
    static boolean answersWithPayload(int opcode) {
        return opcode == Opcode.RDMA_READ.code() || opcode == Opcode.ATOMIC_CMP_AND_SWP.code()
                || opcode == Opcode.ATOMIC_FETCH_AND_ADD.code();
    }

    /** Whether the answer is there, or never will be. */
    boolean isSettled() {
        if (DelegatedRequest.isAnswered(room.address(), number) || isOver()) {
            return true;
        }
        lookNs = Math.min(2 * lookNs, LAST_LOOK_NS);
        return false;
    }

    private boolean isOver() {
        return peer.isGone() || peer.lives() != lives || peer.hasCutOff();
    }

    /** Takes the answer; returns an outcome. */
    int end(long wqe, Buffers local, long length) {
        pending = false;
        long at = room.address();
        if (!DelegatedRequest.isAnswered(at, number)) {
            return Outcome.UNANSWERED;
        }
        int outcome = DelegatedRequest.outcome(at);
        if (peer == link.peer && link.lane instanceof ForeignLane lane) {
            lane.goOnAt(DelegatedRequest.next(at));
            // It may have unbound a window, which nobody here was told.
            link.remote.clear();
        }
        if (outcome == 0 && answersWithPayload(SendWqe.opcode(wqe)) && length > 0) {
            payload.overPlain(room, at + DelegatedRequest.PAYLOAD_AT, length);
            local.restart();
            outcome = transfer.message(payload, local);
            outcome = outcome == Outcome.RECEIVE_FAULT ? WcStatus.LOC_PROT_ERR.code() : outcome;
        }
        delegate.done();
        return outcome;
    }
}
