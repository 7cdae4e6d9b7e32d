package io.verbena.nic.direct;

import io.verbena.nic.counters.NicCounters;
import io.verbena.nic.counters.QueuePairCounters;
import io.verbena.nic.ring.Detail;
import io.verbena.nic.ring.SendLane;
import io.verbena.nic.ring.SendQueue;
import io.verbena.nic.ring.SendWqe;
import io.verbena.verbs.AsyncEvent.QueuePairEvent.Kind;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.WcOpcode;
import io.verbena.verbs.WcStatus;

/**
 * Executes entries of a send queue with every check in the order of the specification, and decides what an outcome
 * means: completion, retry later, or error at one or both ends. Used by the holder of the send queue, inside its guard.
 */
final class Executor {
    private static final int NO_OPCODE = -1;

    private final Endpoint self;
    private final Link link;
    private final SendLane lane;
    /** Made with the first request that is not executed where it is posted; at once for datagrams. */
    private Operations operations;
    private final Retry retry = new Retry();
    private volatile boolean stalled;
    /** It is no use to wait any longer. */
    private volatile boolean hurried;

    Executor(Endpoint self, Link link, SendQueue queue, SendLane lane, PostingRules rules) {
        this.self = self;
        this.link = link;
        this.lane = lane;
        operations = rules.isDatagram() ? new Operations(self, link, queue) : null;
    }

    /** Where datagrams go; null unless this is a UD queue pair. */
    Datagrams datagrams() {
        return operations.datagrams();
    }

    /** Whether the fast path may be used. */
    boolean isConnected() {
        return link.isUsable() && self.state() == QueuePairState.RTS;
    }

    private boolean isReliable() {
        return self.type() == QueuePairType.RC;
    }

    private boolean signalsAll() {
        return self.requester().rules().signalAll();
    }

    private Operations operations() {
        if (operations == null) {
            operations = new Operations(self, link, self.requester().queue);
        }
        return operations;
    }

    // What progress asks; by any thread

    boolean isStalled() {
        return stalled;
    }

    void resume() {
        stalled = false;
    }

    /** Has the request at the head tried now, however long it wants to wait. */
    void hurry() {
        hurried = true;
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

    private boolean isUnbinding() {
        return operations != null && operations.isUnbinding();
    }

    /** Waits, in RESET, for those of other processes that may be using what is about to be dropped. */
    void awaitForeign() {
        if (self.abroad() != null) {
            self.abroad().awaitUser();
        }
        if (isUnbinding()) {
            Fabric.LOCAL.awaitAllForeign();
        }
    }

    /** Forgets the request at the head, because everything was dropped. */
    void restart() {
        retry.reset();
        dropOperations();
        stalled = false;
        hurried = false;
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
                if (isUnbinding()) {
                    return executeLocal(wqe, sequence); // begun before the error, perhaps the reason for it
                }
                if (operations != null && operations.isAwaitingOwner()) {
                    return lookAgain(); // what is at work there must have ended before anything else begins
                }
                dropOperations();
                complete(wqe, sequence, WcStatus.WR_FLUSH_ERR.code());
                return true;
            }
            case RESET, INIT, RTR -> {
                if (isUnbinding()) {
                    return lookAgain(); // until the reset, which waits for the window's users, drops it
                }
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
        if (retry.isWaiting() && !hurried) {
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
            return executeLocal(wqe, sequence);
        }
        int outcome = operations().attempt(wqe, sequence);
        return outcome == Outcome.PENDING ? lookAgain() : conclude(wqe, sequence, link.settled(outcome));
    }

    private boolean executeLocal(long wqe, long sequence) {
        int outcome = operations().windows().execute(wqe);
        return outcome == Outcome.PENDING ? lookAgain() : concludeLocal(wqe, sequence, outcome);
    }

    private boolean lookAgain() {
        retry.handedOver(System.nanoTime() + operations.lookNs());
        stalled = true;
        return false;
    }

    private void dropOperations() {
        if (operations != null) {
            operations.drop();
        }
    }

    /** Ends a request that no peer took part in: no packet is counted. */
    private boolean concludeLocal(long wqe, long sequence, int outcome) {
        if (outcome != 0) {
            fail(wqe, sequence, outcome);
        } else {
            operations().concernedNobody();
            QueuePairCounters.executed(link.counters, SendWqe.opcode(wqe), 0);
            complete(wqe, sequence, 0);
        }
        return true;
    }

    private boolean conclude(long wqe, long sequence, int outcome) {
        if (outcome == 0) {
            // Before the completion: who has polled it may ask for the next packet sequence number.
            link.advancePsn(operations.length());
            QueuePairCounters.executed(link.counters, SendWqe.opcode(wqe), operations.length());
            complete(wqe, sequence, 0);
            return true;
        }
        if (!isReliable()
                && (outcome == Outcome.LOST || outcome == Outcome.NOT_READY || outcome == Outcome.UNANSWERED)) {
            link.countPackets(operations.length());
            counters().lost(link.counters, SendWqe.opcode(wqe), operations.length());
            complete(wqe, sequence, 0);
            return true;
        }
        if (outcome == Outcome.NOT_READY) {
            counters().notReady(link.counters, link.peer.nicCounters());
        }
        Path.Requesting rules = self.path().requester();
        int status = switch (outcome) {
            case Outcome.NOT_READY -> retry.notReady(
                    System.nanoTime(), rules.rnrRetry(), link.peerPath.responder().rnrWaitNs());
            case Outcome.UNANSWERED -> retry.unanswered(System.nanoTime(), rules.ackTimeoutNs());
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
        if (operations != null) {
            operations.abandonReceive();
        }
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
        if (status != 0 || signalsAll() || (SendWqe.flags(wqe) & SendFlags.SIGNALED) != 0) {
            long length = status == 0 ? operations.length() : 0;
            long detail = Detail.of(length, CompletionOpcodes.of(SendWqe.opcode(wqe)), status, 0);
            if (!lane.produce(SendWqe.wrId(wqe), detail, sequence)) {
                self.enterError(Kind.QP_FATAL);
            }
        }
    }

    /** The bytes of the fast path may have gone nowhere, as {@link Link#settled} says. */
    void failCutOff(long wrId, long detail, long sequence) {
        int status = WcStatus.RETRY_EXC_ERR.code();
        self.enterSendError();
        counters().sendEnded(link.counters, status);
        if (!lane.produce(wrId, Detail.of(0, Detail.opcode(detail), status, 0), sequence)) {
            self.enterError(Kind.QP_FATAL);
        }
    }

    /** The fast path found the peer's completion queue full. */
    void failDelivery(long wrId, long sequence, int flags) {
        link.peer.enterError(Kind.QP_FATAL);
        if (!isReliable()) {
            counters().lost(link.counters, Opcode.SEND.code(), 0);
            if ((signalsAll() || (flags & SendFlags.SIGNALED) != 0)
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
