package io.verbena;

import io.verbena.async.handshake.ControlLink;
import io.verbena.async.memory.MonotonicClock;
import io.verbena.async.op.OpCode;
import io.verbena.async.op.Operation;
import io.verbena.async.op.Poller;
import io.verbena.async.op.Worker;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.Threading;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WcStatus;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;

/**
 * The state of a connection, why it failed, whether the peer lives, and how it is closed. The state is never stale:
 * it is changed by the first failed completion or event, and by closing.
 */
final class ConnectionLife {
    /** Places of the send queue for frames, probes and READs of long messages. */
    static final int CONTROL_SENDS = 32;

    private static final int MAX_COMPLETIONS = 64;
    /** How long a queue pair in ERR may take to flush before it is closed over what is left. */
    private static final long FLUSH_NANOS = 2_000_000_000;
    /** How long a receive that was swept away waits for the failed send that is the cause. */
    private static final long CAUSE_NANOS = 10_000_000;
    private static final VarHandle FAILURE;
    private static final VarHandle STATE;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            FAILURE = lookup.findVarHandle(ConnectionLife.class, "failure", RdmaException.class);
            STATE = lookup.findVarHandle(ConnectionLife.class, "state", ConnectionState.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final ConnectionCore core;
    private final boolean alone;
    private final long keepaliveNanos;
    private volatile ConnectionState state = ConnectionState.PREPARED;
    private volatile RdmaException failure;
    private ControlLink link;
    // The driver's.
    private boolean traffic;
    private boolean probing;
    private long nextProbe = Operation.NEVER;
    private long causeDue = Operation.NEVER;

    ConnectionLife(ConnectionCore core) {
        this.core = core;
        alone = core.node.config().threading() == Threading.SINGLE;
        Duration keepalive = core.config.transport().keepalive();
        keepaliveNanos = keepalive == null ? Operation.NEVER : Checks.nanos(keepalive);
    }

    ConnectionState state() {
        return state;
    }

    RdmaException failure() {
        return failure;
    }

    /** Operations are taken from now on. */
    void opened() {
        move(ConnectionState.PREPARED, ConnectionState.OPEN);
        if (failure != null) {
            // It failed before it was open.
            move(ConnectionState.OPEN, ConnectionState.FAILED);
        }
        if (keepaliveNanos != Operation.NEVER) {
            nextProbe = MonotonicClock.end(MonotonicClock.nanos(), keepaliveNanos);
            core.home.poller().dueBy(nextProbe);
        }
    }

    /** Any thread; only {@link #closeNow} does otherwise, and what it has done is never undone. */
    private boolean move(ConnectionState from, ConnectionState to) {
        return STATE.compareAndSet(this, from, to);
    }

    /** Why a new operation is refused; SUCCESS when it is not. */
    int refusal() {
        return state == ConnectionState.OPEN ? OperationStatus.SUCCESS : refusalWhenNotOpen();
    }

    /**
     * The same for whoever has taken a place. Opaque where one thread does everything: after a volatile read the JVM
     * must read every field again.
     */
    int refusalWithPlace() {
        Object now = alone ? STATE.getOpaque(this) : state;
        return now == ConnectionState.OPEN ? OperationStatus.SUCCESS : refusalWhenNotOpen();
    }

    private int refusalWhenNotOpen() {
        return switch (state) {
            case OPEN -> OperationStatus.SUCCESS;
            case PREPARED -> OperationStatus.NOT_CONNECTED;
            case FAILED -> OperationStatus.FAILED;
            case CLOSING, CLOSED -> OperationStatus.CLOSED;
        };
    }

    /** Why an operation that waits in line is not posted; closing lets it go on. */
    int refusalOfWaiting() {
        ConnectionState now = state;
        return now == ConnectionState.CLOSING && failure == null ? OperationStatus.SUCCESS : refusal();
    }

    /** The queue pair did not take it although the state seemed right: it has changed just now. */
    int refusalAfterPost() {
        int refused = refusal();
        return refused == OperationStatus.SUCCESS ? OperationStatus.FAILED : refused;
    }

    /** What a future is failed with when its operation was refused. */
    RuntimeException exception(int status) {
        return switch (status) {
            case OperationStatus.BACK_PRESSURED -> new BackPressureException(OperationStatus.describe(status));
            case OperationStatus.NOT_CONNECTED -> new IllegalStateException(OperationStatus.describe(status));
            case OperationStatus.CLOSED, OperationStatus.FAILED -> failure instanceof PeerClosedException
                    ? new PeerClosedException(OperationStatus.describe(status), failure)
                    : new ConnectionClosedException(OperationStatus.describe(status), failure);
            case OperationStatus.EXPIRED -> new LeaseExpiredException(OperationStatus.describe(status));
            case OperationStatus.OWNERSHIP -> new OwnershipException(OperationStatus.describe(status));
            default -> new IllegalArgumentException(OperationStatus.describe(status));
        };
    }

    // ---- failing

    /** A completion tells of a failure; what the operation's future is failed with. */
    RdmaException failedBy(int statusCode, int vendorErr, int kind, long remoteAddress) {
        WcStatus status = WcStatus.ofCode(statusCode);
        int number = core.queuePair.qpNum();
        if (status != WcStatus.WR_FLUSH_ERR) {
            OperationFailedException cause =
                    new OperationFailedException(status, vendorErr, number, kind, remoteAddress, null);
            fail(cause);
            return cause;
        }
        if (failure == null) {
            core.node.drainEvents();
            fail(new ConnectionClosedException("queue pair 0x" + Integer.toHexString(number)
                    + " went to ERR; the device gave no cause"));
        }
        return new OperationFailedException(status, vendorErr, number, kind, remoteAddress, failure);
    }

    /**
     * A receive has failed. When it was swept away it may be polled before the send that is the cause, which is
     * waited for.
     */
    void receiveFailed(int statusCode, int vendorErr) {
        if (WcStatus.ofCode(statusCode) != WcStatus.WR_FLUSH_ERR) {
            failedBy(statusCode, vendorErr, OpCode.RECEIVE, 0);
        } else if (failure == null && causeDue == Operation.NEVER) {
            core.node.drainEvents();
            if (failure == null) {
                causeDue = MonotonicClock.end(MonotonicClock.nanos(), CAUSE_NANOS);
                core.home.poller().dueBy(causeDue);
            }
        }
    }

    /** Notes the first cause, and that nothing goes on. */
    void fail(RdmaException cause) {
        if (FAILURE.compareAndSet(this, null, cause)) {
            move(ConnectionState.OPEN, ConnectionState.FAILED);
        }
        core.home.poller().wantTurn(core);
    }

    /** An asynchronous event of the device about the queue pair. */
    void event(AsyncEvent.QueuePairEvent.Kind kind) {
        switch (kind) {
            case QP_FATAL, QP_REQ_ERR, QP_ACCESS_ERR -> fail(new ConnectionClosedException("queue pair 0x"
                    + Integer.toHexString(core.queuePair.qpNum()) + " failed by the event " + kind
                    + (kind == AsyncEvent.QueuePairEvent.Kind.QP_FATAL ? "" : ": the peer's request was not allowed")));
            default -> { }
        }
    }

    /** The peer does not keep to the protocol: nothing it says can be trusted any more. */
    void protocolError(String what) {
        fail(new ConnectionClosedException("the peer sent " + what + ", which no peer of this version does"));
        toError();
    }

    /** What an operation is failed with that the end of the connection has swept away. */
    RdmaException swept(int kind) {
        return new OperationFailedException(WcStatus.WR_FLUSH_ERR, 0, core.queuePair.qpNum(), kind, 0, failure);
    }

    boolean hasFailed() {
        return failure != null;
    }

    void abort(String why) {
        if (state == ConnectionState.CLOSED) {
            return;
        }
        fail(new ConnectionClosedException("the connection was broken off: " + why));
        toError();
    }

    private void toError() {
        try {
            core.queuePair.modify(QueuePairAttributes.toState(QueuePairState.ERR));
        } catch (VerbsException e) {
            // Closed by another thread meanwhile, which has the same effect.
            assert state == ConnectionState.CLOSED || state == ConnectionState.CLOSING : e;
        }
    }

    /** The peer has said that it closes, after everything else that it had to say. */
    void closedByPeer() {
        end(new PeerClosedException("the peer has closed the connection", null));
    }

    private void end(RdmaException how) {
        if (state == ConnectionState.OPEN) {
            FAILURE.compareAndSet(this, null, how);
            move(ConnectionState.OPEN, ConnectionState.CLOSING);
        }
        core.home.poller().wantTurn(core);
    }

    /** The peer's queue pair is gone, and it says so over TCP. */
    private void closedByPeerAtOnce() {
        // It may have said so before by a frame, in order, that nobody has looked at yet.
        Poller poller = core.home.poller();
        try {
            poller.asDriver(poller::catchUp);
        } finally {
            // Also when a callback keeps the role: nobody else says it.
            ConnectionClosedException how = new ConnectionClosedException(
                    "the peer has closed the connection at once; what it had under way may not have arrived");
            end(how);
            // Whoever closes here waits for no answer.
            FAILURE.compareAndSet(this, null, how);
        }
    }

    /** The TCP connection over which it was connected: its end is the end of the peer, and the other way round. */
    void attach(ControlLink control) {
        synchronized (this) {
            link = control;
        }
        if (state == ConnectionState.CLOSED) {
            detach();
        }
        control.onEnd(how -> {
            if (how == ControlLink.End.DISCONNECTED) {
                closedByPeerAtOnce();
            } else {
                fail(new ConnectionClosedException(
                        "the peer is gone: its TCP connection ended without a word, as it does when its process ends"));
                toError();
            }
        });
    }

    private void detach() {
        ControlLink control;
        synchronized (this) {
            control = link;
            link = null;
        }
        if (control != null) {
            control.disconnect();
        }
    }

    // ---- liveness, the driver's

    void traffic() {
        traffic = true;
    }

    void probed() {
        probing = false;
    }

    long onDue(long now) {
        return Math.min(lookForCause(now), probe(now));
    }

    private long lookForCause(long now) {
        if (causeDue == Operation.NEVER || now < causeDue) {
            return causeDue;
        }
        causeDue = Operation.NEVER;
        failedBy(WcStatus.WR_FLUSH_ERR.code(), 0, OpCode.RECEIVE, 0);
        return Operation.NEVER;
    }

    private long probe(long now) {
        if (nextProbe == Operation.NEVER || state != ConnectionState.OPEN) {
            return Operation.NEVER;
        }
        if (now < nextProbe) {
            return nextProbe;
        }
        // Also while operations are under way: a long message waits for the peer's answer, and nothing is on the way.
        if (!traffic && !probing) {
            Operation op = core.control.reserve();
            if (op != null) {
                op.kind = OpCode.PROBE;
                op.address = 0;
                op.length = 0;
                op.remoteAddress = 0;
                probing = core.postControl(op);
            }
        }
        traffic = false;
        nextProbe = MonotonicClock.end(now, keepaliveNanos);
        return nextProbe;
    }

    // ---- closing

    /** Lets what was started end, tells the peer and waits for its answer, at most so long; then closes. */
    void close(long nanos) {
        Poller poller = core.home.poller();
        long end = MonotonicClock.end(MonotonicClock.nanos(), nanos);
        move(ConnectionState.OPEN, ConnectionState.CLOSING);
        boolean told = false;
        while (state == ConnectionState.CLOSING && failure == null && MonotonicClock.nanos() < end) {
            Worker.help();
            if (poller.drive(MAX_COMPLETIONS) > 0) {
                continue;
            }
            if (!told && core.isIdle()) {
                boolean[] done = new boolean[1];
                poller.asDriver(() -> done[0] = core.inbound.disconnect());
                told = done[0];
            } else if (told && core.inbound.isPeerGone()) {
                break;
            } else {
                pause(poller);
            }
        }
        closeNow("closed");
    }

    private static void pause(Poller poller) {
        if (poller.isMine()) {
            Thread.onSpinWait();
        } else {
            Thread.yield();
        }
    }

    /** Breaks off what is under way, waits until the NIC has let go of it, and frees everything. */
    void closeNow(String why) {
        core.home.poller().asDriver(() -> {
            if (state == ConnectionState.CLOSED) {
                return;
            }
            boolean connected = state != ConnectionState.PREPARED;
            FAILURE.compareAndSet(this, null, new ConnectionClosedException("the connection was " + why + " here"));
            state = ConnectionState.CLOSING;
            toError();
            core.home.poller().catchUp();
            if (state == ConnectionState.CLOSED) {
                // Done by a callback of what has completed.
                return;
            }
            if (core.inbound != null) {
                core.inbound.failed();
            }
            if (connected) {
                flush();
            }
            if (state == ConnectionState.CLOSED) {
                // Done by a callback of what has failed here.
                return;
            }
            state = ConnectionState.CLOSED;
            destroy();
            core.endAll(swept(OpCode.CONTROL), WcStatus.WR_FLUSH_ERR.code());
            if (core.inbound != null) {
                core.inbound.closed();
            }
            detach();
            core.node.forget(core);
        });
    }

    private void flush() {
        Poller poller = core.home.poller();
        long end = MonotonicClock.end(MonotonicClock.nanos(), FLUSH_NANOS);
        while (!core.isIdle() && MonotonicClock.nanos() < end) {
            if (poller.drive(MAX_COMPLETIONS) <= 0) {
                Thread.yield();
            }
        }
    }

    private void destroy() {
        boolean interrupted = Thread.interrupted();
        core.queuePair.close();
        core.home.poller().remove(core.queuePair.qpNum());
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
