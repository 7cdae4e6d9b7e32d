package io.verbena.nic.direct;

import io.verbena.nic.link.Marks;
import io.verbena.nic.memory.RegionTable;
import io.verbena.nic.ring.CompletionCore;
import io.verbena.nic.ring.CompletionListener;
import io.verbena.nic.ring.ReceiveLane;
import io.verbena.nic.ring.ReceiveQueue;
import io.verbena.nic.ring.SendLane;
import io.verbena.nic.ring.SendQueue;
import io.verbena.nic.ring.SendWqe;
import io.verbena.nic.stat.DeviceCounter;
import io.verbena.verbs.AsyncEvent.QueuePairEvent.Kind;
import io.verbena.verbs.Gid;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.WcStatus;
import java.lang.foreign.MemorySegment;

/**
 * A queue pair of another process as if it were in this one: executes its requests against an own queue pair, by the
 * same code as those of a peer that is. Used by one thread at a time; nothing that is asked is believed.
 */
public final class StandIn {
    /** The least memory that a request needs. */
    public static final long LEAST_ROOM = DelegatedRequest.PAYLOAD_AT;

    private static final ReceiveQueue.Shape RECEIVES = new ReceiveQueue.Shape(1, 0, 0);
    private static final SendQueue.Shape SENDS = new SendQueue.Shape(1, 1, 0, 0);
    /** READs and atomics that it may have outstanding: how many, its own process has checked. */
    private static final int READS = 1;
    private static final Opcode[] POSSIBLE = {Opcode.SEND, Opcode.SEND_WITH_IMM, Opcode.SEND_WITH_INV,
        Opcode.RDMA_WRITE, Opcode.RDMA_WRITE_WITH_IMM, Opcode.RDMA_READ, Opcode.ATOMIC_CMP_AND_SWP,
        Opcode.ATOMIC_FETCH_AND_ADD, Opcode.ATOMIC_WRITE, Opcode.FLUSH};

    private final Endpoint target;
    private final Gid user;
    private final Endpoint self;
    private final SendQueue queue;
    private final Link link;
    private final Operations operations;
    private final boolean produces;
    private long served;

    /**
     * Makes one; under the control lock.
     *
     * @param target the own queue pair
     * @param user the address of the other one
     * @param userQpNum its number
     * @param memory zeroed, {@link #bytes} long, aligned to 128; used until {@link #close}
     * @param produces whether the other one produces completions too, when nothing is asked
     */
    public StandIn(Endpoint target, Gid user, int userQpNum, MemorySegment memory, boolean produces) {
        this.target = target;
        this.produces = produces;
        CompletionCore core = new CompletionCore(1, false, true, CompletionListener.NOBODY);
        ReceiveQueue receives = new ReceiveQueue(memory, RECEIVES, target.table(), target.domain(), true);
        RegionTable regions = target.regions();
        ReceiveLane receiveLane = new ReceiveLane(core, userQpNum, receives, null, null, () -> { });
        receives.lane(receiveLane);
        SendLane sendLane = new SendLane(core, userQpNum, memory.address() + RECEIVES.bytes(), 1);
        queue = new SendQueue(memory, RECEIVES.bytes() + SendLane.bytes(1), SENDS, sendLane);
        PostingRules rules = new PostingRules(target.type(), true, false, 0, 0, null, null);
        self = new Endpoint(
                new Endpoint.Identity(target.type(), userQpNum, target.domain(), target.table(), regions,
                        target.progress(), kind -> { }),
                new Endpoint.Rings(queue, sendLane, receives, receiveLane, null), rules);
        this.user = user;
        path(target.path().mtuBytes());
        link = new Link(self);
        operations = new Operations(self, link, queue);
        Fabric.LOCAL.enlist(self);
    }

    private void path(int mtuBytes) {
        Path theirs = target.path();
        self.apply(new Path(user, theirs.localGid(), target.qpNum(), mtuBytes, theirs.responder(),
                new Path.Requesting(0, 0, 0, READS, Marks.USUAL), 0), QueuePairState.RTS);
    }

    /** Memory that one needs. */
    public static long bytes() {
        return RECEIVES.bytes() + SendLane.bytes(1) + SENDS.bytes();
    }

    /** Executes the request that is there, unless it was executed before, and writes the answer. */
    public void serve(MemorySegment room) {
        long at = room.address();
        long number = DelegatedRequest.asked(at);
        if (number == served) {
            return;
        }
        served = number;
        long length = DelegatedRequest.length(at);
        int mtuBytes = DelegatedRequest.mtu(at);
        long wqe = queue.entry(0);
        DelegatedRequest.copyEntry(at, wqe);
        SendWqe.count(wqe, 0);
        int outcome = WcStatus.REM_INV_REQ_ERR.code();
        if (length >= 0 && length <= room.byteSize() - DelegatedRequest.PAYLOAD_AT && isPossible(wqe, length)) {
            outcome = execute(wqe, mtuBytes, room.asSlice(DelegatedRequest.PAYLOAD_AT, length));
        } else {
            target.enterError(null);
        }
        DelegatedRequest.answer(at, number, outcome, target.receiveLane().nextIndex());
    }

    private boolean isPossible(long wqe, long length) {
        int code = SendWqe.opcode(wqe);
        for (Opcode opcode : POSSIBLE) {
            if (opcode.code() == code) {
                boolean word = opcode == Opcode.ATOMIC_CMP_AND_SWP || opcode == Opcode.ATOMIC_FETCH_AND_ADD
                        || opcode == Opcode.ATOMIC_WRITE;
                boolean sends = opcode == Opcode.SEND || opcode == Opcode.SEND_WITH_IMM
                        || opcode == Opcode.RDMA_WRITE || opcode == Opcode.RDMA_WRITE_WITH_IMM;
                return (sends || target.type() == QueuePairType.RC) && (!word || length == Long.BYTES);
            }
        }
        return false;
    }

    private int execute(long wqe, int mtuBytes, MemorySegment payload) {
        Requester requester = self.requester();
        requester.enterClaimed();
        try {
            Fabric.LOCAL.generation().roster().enlist(requester);
            if (produces && target.isServing()) {
                target.receiveLane().takeOver();
            }
            if (self.path().mtuBytes() != mtuBytes) {
                path(mtuBytes);
            }
            link.psn(target.receiveLane().expectedPsn());
            int outcome = operations.attemptFor(wqe, payload);
            if (outcome == Outcome.NOT_READY) {
                target.nicCounters().add(DeviceCounter.SEND_RNR_ERR, 1);
            }
            return outcome;
        } catch (RuntimeException | Error e) {
            operations.abandonReceive();
            target.enterError(Kind.QP_FATAL);
            return WcStatus.REM_OP_ERR.code();
        } finally {
            requester.exitClaimed();
        }
    }

    /** Ends; under the control lock, when it serves nobody and its queue pair serves nobody. */
    public void close() {
        Fabric.LOCAL.forget(self);
        // A change of its attributes had whoever drives progress look at it.
        self.progress().exclusively(() -> self.progress().forget(self));
        Fabric.LOCAL.generation().roster().remove(self.requester());
    }
}
