package io.verbena;

import io.verbena.async.memory.Grants;
import io.verbena.async.memory.MonotonicClock;
import io.verbena.async.op.Driven;
import io.verbena.async.op.OpCode;
import io.verbena.async.op.Operation;
import io.verbena.async.op.Operations;
import io.verbena.async.op.Worker;
import io.verbena.verbs.Access;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WorkCompletion;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * What is behind a connection: starts operations, ends them as they complete, and knows why they can't any more.
 * Starting is done by any thread; everything that ends something, by the driver.
 */
final class ConnectionCore extends Driven {
    private static final int MAX_COMPLETIONS = 32;
    private static final int SPINS = 200;
    private static final long PARK_NANOS = 20_000;

    final RdmaNode node;
    final ConnectionConfig config;
    final FutureHome home;
    final QueuePair queuePair;
    final Operations user;
    final Operations control;
    final ConnectionLife life;
    final Poster poster;
    private final LocalMemory priorValues;
    private final WaitingLine line;
    private final Endings endings;
    final Deliveries deliveries;
    private final Receipt receipt = new Receipt();
    /** Tells the memory of this node. */
    private final Grants own;
    private final boolean checked;
    /** Whether operations without options have no deadline and never get into line. */
    private final boolean plain;
    private final long maxWaitNanos;
    private final long deadlineNanos;
    Inbound inbound;

    ConnectionCore(RdmaNode node, ConnectionConfig config, QueuePair queuePair) {
        this.node = node;
        this.config = config;
        this.queuePair = queuePair;
        home = node.home();
        boolean alone = node.config().threading() == Threading.SINGLE;
        int sends = config.queues().sends();
        user = new Operations(Operation.USER_TABLE, sends, alone);
        control = new Operations(Operation.CONTROL_TABLE, ConnectionLife.CONTROL_SENDS, false);
        priorValues = node.memory().allocate(8L * sends, AllocationOptions.DEFAULT);
        poster = new Poster(queuePair, config.queues().maxSge(), priorValues.address(), priorValues.lkey());
        BackPressure pressure = config.backPressure();
        line = pressure.queued() > 0 ? new WaitingLine(pressure.queued(), alone) : null;
        maxWaitNanos = pressure.maxWaitNanos();
        own = node.memory().grants();
        checked = config.ownershipChecks();
        deadlineNanos = config.deadline() == null ? Operation.NEVER : Checks.nanos(config.deadline());
        plain = line == null && deadlineNanos == Operation.NEVER;
        life = new ConnectionLife(this);
        endings = new Endings(this, priorValues);
        deliveries = new Deliveries(this, node.worker());
    }

    /** READ, WRITE and WRITE with immediate data; a code of {@link OperationStatus}. */
    int oneSided(int kind, LocalMemory local, RemoteMemory remote, int imm, OperationOptions options, Object target,
            long token) {
        if (local.length() != remote.length()) {
            return OperationStatus.LENGTHS;
        }
        int refused = remote.refusal(kind == OpCode.READ ? Access.REMOTE_READ : Access.REMOTE_WRITE);
        if (refused != OperationStatus.SUCCESS) {
            return refused;
        }
        Operation op = reserve(kind);
        if (op == null) {
            return noPlace();
        }
        if (plain && options == null && kind != OpCode.WRITE_WITH_IMM) {
            return startPlain(op, local, remote, target, token);
        }
        op.immediate = imm;
        op.local(local.address(), local.length(), local.lkey());
        op.remote(remote.address(), remote.rkey());
        int lent = lend(op, local, kind == OpCode.READ);
        return lent == OperationStatus.SUCCESS ? start(op, options, target, token) : lent;
    }

    /** A READ or WRITE that can't get into line and has no deadline: its place holds only what its end looks at. */
    private int startPlain(Operation op, LocalMemory local, RemoteMemory remote, Object target, long token) {
        op.length = local.length();
        op.remoteAddress = remote.address();
        op.target = target;
        op.token = token;
        int lent = lend(op, local, op.kind == OpCode.READ);
        return lent == OperationStatus.SUCCESS ? posted(op, poster.postPlain(op, local, remote)) : lent;
    }

    /** Compare and swap, or fetch and add. */
    int atomic(int kind, RemoteMemory remote, long operand, long swap, OperationOptions options, Object target,
            long token) {
        if (remote.length() != Long.BYTES) {
            return OperationStatus.LENGTHS;
        }
        if ((remote.address() & Long.BYTES - 1) != 0) {
            return OperationStatus.MISALIGNED;
        }
        int refused = refusal(remote, Access.REMOTE_ATOMIC);
        if (refused != OperationStatus.SUCCESS) {
            return refused;
        }
        Operation op = reserve(kind);
        if (op == null) {
            return noPlace();
        }
        op.operand = operand;
        op.swap = swap;
        op.length = Long.BYTES;
        op.remote(remote.address(), remote.rkey());
        return start(op, options, target, token);
    }

    /** READ into, or WRITE from, several buffers in a row. */
    int vectored(int kind, List<LocalMemory> parts, RemoteMemory remote, OperationOptions options, Object target) {
        long length = PartLoans.length(parts);
        if (length != remote.length() || parts.isEmpty() || parts.size() > config.queues().maxSge()) {
            return OperationStatus.LENGTHS;
        }
        int refused = refusal(remote, kind == OpCode.READ ? Access.REMOTE_READ : Access.REMOTE_WRITE);
        if (refused != OperationStatus.SUCCESS) {
            return refused;
        }
        Operation op = reserve(kind);
        if (op == null) {
            return noPlace();
        }
        op.length = length;
        op.remote(remote.address(), remote.rkey());
        long lent = PartLoans.lend(op, parts, part -> acquire(part, kind, kind == OpCode.READ));
        if (lent < 0) {
            giveBack(op);
            return Poster.statusOfLoan(lent);
        }
        return start(op, options, target, 0);
    }

    /** Why an operation on memory of the peer is refused; SUCCESS when it is not. */
    int refusal(RemoteMemory remote, int right) {
        int refused = remote.refusal(right);
        return refused == OperationStatus.SUCCESS ? life.refusal() : refused;
    }

    /** Lends memory to a reserved operation; gives the place back if it can't. */
    int lend(Operation op, LocalMemory local, boolean writes) {
        long loan = acquire(local, op.kind, writes);
        if (loan >= 0) {
            op.lent = local.loans();
            op.loan = loan;
            return OperationStatus.SUCCESS;
        }
        giveBack(op);
        return Poster.statusOfLoan(loan);
    }

    private long acquire(LocalMemory local, int kind, boolean writes) {
        return local.isOf(own) ? local.acquire(writes, checked, OpCode.name(kind)) : Poster.FOREIGN;
    }

    /** What to answer when there is no place: a connection that ended while somebody waited says so. */
    int noPlace() {
        int refused = life.refusal();
        return refused == OperationStatus.SUCCESS ? OperationStatus.BACK_PRESSURED : refused;
    }

    /** A place to fill in, of the send queue or in line, as the back pressure says; null when there is none. */
    Operation reserve(int kind) {
        Operation place = line == null || line.isEmpty() ? tryReserve(kind) : null;
        if (place == null) {
            if (line != null) {
                place = deliveries.isFull() ? null : line.reserve();
            } else if (maxWaitNanos > 0) {
                place = reserveWaiting(kind);
            }
            if (place == null) {
                cameBack();
                return null;
            }
        }
        place.kind = kind;
        return isStillOpen(place) ? place : null;
    }

    /** A place that is used at once, if nobody waits in line for one. */
    Operation reserveNow(int kind) {
        if (line != null && !line.isEmpty()) {
            return null;
        }
        Operation place = tryReserve(kind);
        if (place == null) {
            cameBack();
            return null;
        }
        place.kind = kind;
        return isStillOpen(place) ? place : null;
    }

    /** Closing waits for places that are taken, so who has taken one looks whether it has begun; else gives it back. */
    private boolean isStillOpen(Operation place) {
        if (life.refusalWithPlace() == OperationStatus.SUCCESS) {
            return true;
        }
        giveBack(place);
        return false;
    }

    private Operation tryReserve(int kind) {
        if (deliveries.isFull()) {
            return null;
        }
        if (!OpCode.takesReceive(kind)) {
            return user.reserve();
        }
        if (!inbound.takeCredit()) {
            return null;
        }
        Operation place = user.reserve();
        if (place == null) {
            inbound.returnCredit();
        }
        return place;
    }

    /** Gives back a place that is not used. */
    void giveBack(Operation op) {
        if (OpCode.takesReceive(op.kind) && !op.isInLine()) {
            inbound.returnCredit();
        }
        op.free();
        cameBack();
    }

    /** What was taken for a moment is back: the line, which may have gone without it meanwhile, looks again. */
    private void cameBack() {
        if (line != null && !line.isEmpty()) {
            home.poller().wantTurn(this);
        }
    }

    private Operation reserveWaiting(int kind) {
        long end = MonotonicClock.end(MonotonicClock.nanos(), maxWaitNanos);
        for (int looks = 0; life.refusal() == OperationStatus.SUCCESS; looks++) {
            Worker.help();
            int taken = home.poller().drive(MAX_COMPLETIONS);
            Operation place = tryReserve(kind);
            if (place != null) {
                return place;
            }
            if (MonotonicClock.nanos() >= end) {
                return null;
            }
            if (looks < SPINS && !Thread.currentThread().isVirtual()) {
                Thread.onSpinWait();
            } else if (taken <= 0 && !home.poller().isMine()) {
                LockSupport.parkNanos(this, PARK_NANOS);
            }
        }
        return null;
    }

    /** Starts a filled-in operation that holds its loans. */
    int start(Operation op, OperationOptions options, Object target, long token) {
        op.target = target;
        op.token = token;
        long nanos = deadlineNanos;
        if (options != null) {
            op.flags = (options.fence() ? SendFlags.FENCE : 0) | (options.inline() ? SendFlags.INLINE : 0)
                    | (options.solicited() ? SendFlags.SOLICITED : 0);
            op.abortOnDeadline = options.abortOnDeadline();
            nanos = options.deadline() == null ? nanos : Checks.nanos(options.deadline());
        }
        if (nanos != Operation.NEVER) {
            op.deadline = MonotonicClock.end(MonotonicClock.nanos(), nanos);
        }
        if (!op.isInLine()) {
            return post(op);
        }
        if (target instanceof RdmaFuture<?> future) {
            future.waitsAt(op, op.generation());
        }
        long deadline = op.deadline;
        line.join(op);
        home.poller().dueBy(deadline);
        home.poller().wantTurn(this);
        return OperationStatus.SUCCESS;
    }

    private int post(Operation op) {
        long deadline = op.deadline;
        int generation = deadline == Operation.NEVER ? 0 : op.generation();
        int status = posted(op, OpCode.isMessage(op.kind) ? inbound.post(op) : poster.post(op));
        if (status == OperationStatus.SUCCESS) {
            posted(op, generation, deadline);
        }
        return status;
    }

    /** What comes of a post, whose status this is; one that was refused gives everything back. */
    private int posted(Operation op, int posted) {
        if (posted == PostStatus.OK) {
            return OperationStatus.SUCCESS;
        }
        op.returnLoans();
        giveBack(op);
        return posted == PostStatus.WRONG_STATE ? life.refusalAfterPost() : Poster.statusOf(posted);
    }

    /** From here on its deadline counts; both numbers as they were before it was posted. */
    void posted(Operation op, int generation, long deadline) {
        if (deadline != Operation.NEVER) {
            op.posted(generation);
            home.poller().dueBy(deadline);
        }
    }

    /** When operations that say nothing else are overdue. */
    long usualDeadline() {
        return MonotonicClock.end(MonotonicClock.nanos(), deadlineNanos);
    }

    /** Posts a frame, a probe or a READ of its own on a place of {@link #control}; gives the place back if it can't. */
    boolean postControl(Operation op) {
        if (poster.post(op) == PostStatus.OK) {
            return true;
        }
        op.returnLoans();
        op.free();
        return false;
    }

    @Override
    protected void onCompletion(WorkCompletion completion) {
        long wrId = completion.wrId();
        int table = Operations.tableOf(wrId);
        if (table == Operation.RECEIVE_TABLE) {
            life.traffic();
            Receipt copy = receipt.fill(completion);
            if (copy.status != 0) {
                life.receiveFailed(copy.status, copy.vendorErr);
            }
            inbound.received(copy);
            postWaiting();
            return;
        }
        Operation op = (table == Operation.USER_TABLE ? user : control).find(wrId);
        if (op == null) {
            return;
        }
        if (op.kind != OpCode.PROBE) {
            life.traffic();
        }
        int status = completion.statusCode();
        if (status != 0) {
            endFailed(op, status, completion.vendorErr());
        } else if (table == Operation.USER_TABLE) {
            ended(op, OperationStatus.SUCCESS, null);
        } else {
            endControl(op, OperationStatus.SUCCESS);
        }
        postWaiting();
    }

    private void endFailed(Operation op, int status, int vendorErr) {
        RdmaException cause = life.failedBy(status, vendorErr, op.kind, op.remoteAddress);
        if (Operations.tableOf(op.wrId()) == Operation.USER_TABLE) {
            ended(op, status, cause);
        } else {
            endControl(op, status);
        }
    }

    private void endControl(Operation op, int status) {
        if (op.kind == OpCode.PROBE) {
            op.free();
            life.probed();
        } else {
            inbound.sent(op, status);
        }
    }

    /** A completion has come; a long message ends later, by the peer's answer, unless it has failed. */
    private void ended(Operation op, int status, RdmaException cause) {
        if (!OpCode.isMessage(op.kind) || !inbound.endsLater(op, status)) {
            end(op, status, cause);
        }
    }

    /** A future was cancelled: takes its operation out of the line, or makes the receive that it stands for pass. */
    void cancelled(RdmaFuture<?> future, Operation op, int generation) {
        if (op != null && op.take(generation)) {
            op.returnLoans();
            op.cancelled();
            future.quiesce();
            home.poller().wantTurn(this);
        }
    }

    private void postWaiting() {
        if (line == null || line.isEmpty()) {
            return;
        }
        for (Operation first = line.first(); first != null; first = line.first()) {
            if (first.isCancelled()) {
                line.gone();
                continue;
            }
            int refused = life.refusalOfWaiting();
            Operation place = refused == OperationStatus.SUCCESS ? tryReserve(first.kind) : null;
            if (refused == OperationStatus.SUCCESS && place == null) {
                return;
            }
            if (!first.take(first.generation())) {
                // Being cancelled by another thread at this moment; its turn comes again.
                if (place != null) {
                    place.kind = first.kind;
                    giveBack(place);
                }
                home.poller().wantTurn(this);
                return;
            }
            leaveLine(first, place, refused);
        }
    }

    private void leaveLine(Operation first, Operation place, int refused) {
        Object target = first.target;
        long token = first.token;
        int status = refused;
        if (place != null) {
            place.takeOver(first);
            status = post(place);
        } else {
            first.returnLoans();
        }
        // Only now: nobody overtakes it.
        line.gone();
        if (status != OperationStatus.SUCCESS) {
            endings.refused(target, token, status);
        }
    }

    @Override
    protected void onTurn() {
        postWaiting();
        if (life.state() == ConnectionState.CLOSED) {
            return;
        }
        if (life.hasFailed()) {
            // What has arrived is received, also by those who wait for it now.
            home.poller().catchUp();
            inbound.failed();
        }
        inbound.turn();
    }

    @Override
    protected long onDue(long now) {
        return Math.min(endings.expire(now, line), life.onDue(now));
    }

    /** Ends an operation of the application whose memory the NIC can't touch any more. The driver's. */
    void end(Operation op, int status, RdmaException cause) {
        endings.end(op, status, cause);
    }

    /** Whether everything started has ended. */
    boolean isIdle() {
        // In this order: what leaves the line has got its place before.
        return (line == null || line.isEmpty()) && user.inUse() == 0;
    }

    /** Ends everything that is left, once the queue pair is gone. The driver's. */
    void endAll(RdmaException cause, int status) {
        user.endAll(op -> end(op, status, cause));
        control.endAll(op -> {
            op.returnLoans();
            op.free();
        });
        postWaiting();
        priorValues.close();
    }
}
