package io.verbena;

import io.verbena.async.op.Handover;
import io.verbena.async.op.Worker;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Tells the application what has completed on one connection, in order: at once on the thread that drives, or on a
 * worker's if the node has workers. Only the driver calls it, but for {@link #isFull}, and {@link #tell}, which is for
 * whoever tells.
 */
final class Deliveries {
    private static final int RESULT = 0;
    private static final int PRIOR_VALUE = 1;
    private static final int RAW_MESSAGE = 2;
    private static final int ARRIVED = 3;
    private static final int IMMEDIATE = 4;
    private static final int TASK = 5;
    private static final int OVERDUE = 6;
    /** Handlers that are set and have not begun. */
    private static final int MOST_HANDLERS = 60;
    /** Room for those, and for the two ends: of what arrives, and of the connection. */
    private static final int TASKS = MOST_HANDLERS + 2;

    private final ConnectionCore core;
    /** Null without workers. */
    private final Handover handover;
    /** What {@link #after} was given and is not done; without workers nothing ever is. */
    private final AtomicInteger tasks = new AtomicInteger();

    Deliveries(ConnectionCore core, Worker worker) {
        this.core = core;
        QueueConfig queues = core.config.queues();
        // Results: as many as make it full, and those of all that is under way or in line by then. Besides: what lies
        // in receives, each of which is posted again, or granted, once the application has had it.
        int underWay = queues.sends() + core.config.backPressure().queued();
        int others = underWay + queues.receives() + Frames.CONTROL_RECEIVES + TASKS;
        handover = worker == null ? null : new Handover(worker, queues.sends(), others, this::receive,
                () -> core.home.poller().wantTurn(core));
    }

    /** Whether it is some other thread that is told. */
    boolean isHandingOver() {
        return handover != null;
    }

    /** Whether so much lies here that nothing more is to be started; any thread. */
    boolean isFull() {
        return handover != null && handover.isFull();
    }

    /** An operation has ended, or can't be started. */
    void result(Object target, long token, int status, long value, Throwable cause) {
        give(RESULT, target, token, status, value, cause);
    }

    /** The result of an operation is overdue; it ends later. */
    void overdue(Object target, long token, Throwable cause) {
        give(OVERDUE, target, token, OperationStatus.DEADLINE, 0, cause);
    }

    /** An atomic has ended well. */
    void priorValue(Object target, long token, long value) {
        give(PRIOR_VALUE, target, token, OperationStatus.SUCCESS, value, null);
    }

    /** A receive of the application has ended, with a message or a cause. */
    void raw(RdmaFuture<RawMessage> target, Object messageOrCause) {
        give(RAW_MESSAGE, target, 0, 0, 0, messageOrCause);
    }

    private void give(int kind, Object target, long token, int status, long value, Object extra) {
        if (handover == null || !handover.result(kind, target, token, status, value, extra)) {
            assert handover == null : "no room for a result";
            receive(kind, target, token, status, value, extra);
        }
    }

    /** A message is here; its memory is lent until it was handed on. */
    void arrived(Inbox inbox, ReceivedMessage message) {
        other(ARRIVED, inbox, 0, message);
    }

    /** Immediate data have come with a WRITE. */
    void immediate(Inbox inbox, int imm) {
        other(IMMEDIATE, inbox, imm, null);
    }

    /** Refuses another handler while so many have not begun, so that there is always room for the ends. */
    void requireRoomForHandler() {
        if (tasks.get() >= MOST_HANDLERS) {
            throw new IllegalStateException("the worker of this connection is " + MOST_HANDLERS + " handlers behind: a"
                    + " callback or handler blocks there; set no more before it returns");
        }
    }

    /** Does something once everything before it was told. */
    void after(Runnable task) {
        if (handover == null) {
            task.run();
            return;
        }
        tasks.incrementAndGet();
        if (!handover.other(TASK, task, 0, null)) {
            tasks.decrementAndGet();
            throw new IllegalStateException("no room for what is to be done after everything else; a fault of ours");
        }
    }

    private void other(int kind, Object target, long value, Object extra) {
        if (handover == null || !handover.other(kind, target, value, extra)) {
            assert handover == null : "no room for what has arrived";
            receive(kind, target, 0, 0, value, extra);
        }
    }

    private void receive(int kind, Object target, long token, int status, long value, Object extra) {
        switch (kind) {
            case RESULT, PRIOR_VALUE, OVERDUE -> {
                if (target instanceof RdmaFuture<?> future) {
                    tellFuture(future, status, kind == PRIOR_VALUE ? value : null, (Throwable) extra);
                    if (kind != OVERDUE) {
                        future.quiesce();
                    }
                } else {
                    tell((CompletionCallback) target, token, status, value);
                }
            }
            case RAW_MESSAGE -> tellRaw(target, extra);
            case ARRIVED -> ((Inbox) target).tell((ReceivedMessage) extra);
            case IMMEDIATE -> ((Inbox) target).tell((int) value);
            default -> {
                tasks.decrementAndGet();
                ((Runnable) target).run();
            }
        }
    }

    @SuppressWarnings("unchecked")
    private static void tellFuture(RdmaFuture<?> future, int status, Object value, Throwable cause) {
        if (status == OperationStatus.SUCCESS) {
            ((RdmaFuture<Object>) future).finish(value);
        } else {
            future.fail(cause);
        }
    }

    /** Tells a callback; what it throws is nobody else's business. */
    void tell(CompletionCallback callback, long token, int status, long value) {
        try {
            callback.onCompletion(token, status, value);
        } catch (RuntimeException | Error e) {
            core.node.callbackFailed(e);
        }
    }

    @SuppressWarnings("unchecked")
    private static void tellRaw(Object target, Object messageOrCause) {
        RdmaFuture<RawMessage> future = (RdmaFuture<RawMessage>) target;
        if (messageOrCause instanceof RawMessage message) {
            future.finish(message);
        } else {
            future.fail((Throwable) messageOrCause);
        }
        future.quiesce();
    }
}
