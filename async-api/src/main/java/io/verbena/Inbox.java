package io.verbena;

import java.util.function.Predicate;

/**
 * Where messages and immediate data meet the application: whoever waits for one, or a handler for all. What arrives is
 * put in by the driver, and told by it or by the node's workers, in order.
 */
final class Inbox {
    private final ConnectionCore core;
    private final Deliveries deliveries;
    private final Runnable granted;
    private final Predicate<ReceivedMessage> isReused;
    private final Mailbox<ReceivedMessage> messages = new Mailbox<>();
    private final Mailbox<Integer> immediates;
    private volatile MessageHandler handler;
    private volatile CompletionCallback callback;
    /** What {@link #handler} and {@link #callback} are to become, once what is on its way was told. */
    private volatile MessageHandler wantedHandler;
    private volatile CompletionCallback wantedCallback;
    /** The driver's. */
    private boolean ended;

    /**
     * Makes an empty one.
     *
     * @param core its connection
     * @param granted done for each immediate that the application has got: the peer may send another in its place
     * @param isReused whether an object becomes another message once it is closed
     */
    Inbox(ConnectionCore core, Runnable granted, Predicate<ReceivedMessage> isReused) {
        this.core = core;
        deliveries = core.deliveries;
        this.granted = granted;
        this.isReused = isReused;
        immediates = new Mailbox<>(taken -> granted.run());
    }

    /** Whether a message that arrives now goes to a handler. */
    boolean hasHandler() {
        return handler != null;
    }

    // ---- the driver

    void arrived(ReceivedMessage message) {
        if (deliveries.isHandingOver()) {
            // The connection may be closed before the worker comes to it.
            message.lend();
            deliveries.arrived(this, message);
        } else {
            tell(message);
        }
    }

    void immediateArrived(int imm) {
        deliveries.immediate(this, imm);
    }

    /** Nothing arrives any more: fails who waits, once what is on its way was told. May be called again. */
    void end() {
        if (!ended) {
            ended = true;
            deliveries.after(() -> {
                messages.end(() -> core.life.exception(OperationStatus.CLOSED));
                immediates.end(() -> core.life.exception(OperationStatus.CLOSED));
            });
        }
    }

    /** The connection is closed: nobody takes what is left. */
    void closed() {
        deliveries.after(() -> messages.close(ReceivedMessage::close));
    }

    // ---- whoever tells: the driver, or the worker

    void tell(ReceivedMessage message) {
        MessageHandler to = handler == wantedHandler ? handler : null;
        if (to == null) {
            // Whoever holds it keeps the memory, even when the connection is closed meanwhile.
            message.lend();
            messages.put(isReused.test(message) ? message.moved() : message);
        } else {
            hand(to, message);
        }
    }

    private void hand(MessageHandler to, ReceivedMessage message) {
        message.hand();
        try {
            to.onMessage(message);
        } catch (RuntimeException | Error e) {
            core.node.callbackFailed(e);
        }
        message.takeBack();
    }

    void tell(int imm) {
        CompletionCallback to = callback == wantedCallback ? callback : null;
        if (to == null) {
            immediates.put(imm);
        } else {
            hand(to, imm);
        }
    }

    private void hand(CompletionCallback to, int imm) {
        granted.run();
        deliveries.tell(to, 0, OperationStatus.SUCCESS, imm & 0xFFFF_FFFFL);
    }

    private void begin(MessageHandler newHandler) {
        if (wantedHandler != newHandler) {
            return;
        }
        handler = newHandler;
        // The handler may end itself, after which nothing is taken from those who wait. What was taken is its own,
        // though another thread ends it just now: put back, it would come behind what arrived later.
        while (newHandler != null && wantedHandler == newHandler) {
            ReceivedMessage each = messages.poll();
            if (each == null) {
                return;
            }
            hand(newHandler, each);
        }
    }

    private void begin(CompletionCallback newCallback) {
        if (wantedCallback != newCallback) {
            return;
        }
        callback = newCallback;
        while (newCallback != null && wantedCallback == newCallback) {
            Integer each = immediates.poll();
            if (each == null) {
                return;
            }
            hand(newCallback, each);
        }
    }

    // ---- the application

    void receive(RdmaFuture<ReceivedMessage> future) {
        messages.take(future);
    }

    void receiveImmediate(RdmaFuture<Integer> future) {
        immediates.take(future);
    }

    void onMessage(MessageHandler newHandler) {
        core.home.poller().asDriver(() -> {
            deliveries.requireRoomForHandler();
            // At once, so that one that is ended gets nothing more; the new one begins after what is on its way.
            wantedHandler = newHandler;
            deliveries.after(() -> begin(newHandler));
        });
    }

    void onImmediate(CompletionCallback newCallback) {
        core.home.poller().asDriver(() -> {
            deliveries.requireRoomForHandler();
            wantedCallback = newCallback;
            deliveries.after(() -> begin(newCallback));
        });
    }
}
