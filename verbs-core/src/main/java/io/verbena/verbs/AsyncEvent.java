package io.verbena.verbs;

/**
 * Something that happened outside any work request (ibv_get_async_event(3)). Must be acknowledged once with
 * {@link Context#acknowledge(AsyncEvent)}; events compare by identity of the occurrence, given by their sequence.
 */
public sealed interface AsyncEvent {
    /**
     * Distinguishes this occurrence from every other one of its context.
     *
     * @return a number that only grows
     */
    long sequence();

    /**
     * Something about a queue pair.
     *
     * @param sequence see {@link AsyncEvent#sequence()}
     * @param kind what happened
     * @param queuePair the queue pair concerned
     */
    record QueuePairEvent(long sequence, Kind kind, QueuePair queuePair) implements AsyncEvent {
        /** What can happen to a queue pair, with the names of libibverbs. */
        public enum Kind {
            /** The queue pair failed and is in ERR. */
            QP_FATAL,
            /** A peer's request was invalid and took no receive. */
            QP_REQ_ERR,
            /** A peer violated access rights. */
            QP_ACCESS_ERR,
            /** The first packet arrived before RTS. */
            COMM_EST,
            /** Draining of the send queue has ended. */
            SQ_DRAINED,
            /** The path was switched to the alternate one. */
            PATH_MIG,
            /** The path could not be switched. */
            PATH_MIG_ERR,
            /** The queue pair in ERR takes no more from its shared receive queue. */
            QP_LAST_WQE_REACHED
        }
    }

    /**
     * A completion queue overflowed and is unusable.
     *
     * @param sequence see {@link AsyncEvent#sequence()}
     * @param completionQueue the queue concerned
     */
    record CompletionQueueError(long sequence, CompletionQueue completionQueue) implements AsyncEvent {}

    /**
     * Something about a shared receive queue.
     *
     * @param sequence see {@link AsyncEvent#sequence()}
     * @param limitReached true when the armed limit was reached, false when the queue failed
     * @param sharedReceiveQueue the queue concerned
     */
    record SharedReceiveQueueEvent(long sequence, boolean limitReached, SharedReceiveQueue sharedReceiveQueue)
            implements AsyncEvent {}

    /**
     * Something about a port.
     *
     * @param sequence see {@link AsyncEvent#sequence()}
     * @param kind what happened
     * @param port from 1
     */
    record PortEvent(long sequence, Kind kind, int port) implements AsyncEvent {
        /** What can happen to a port, with the names of libibverbs. */
        public enum Kind {
            /** The port became active. */
            PORT_ACTIVE,
            /** The port went down. */
            PORT_ERR,
            /** The GID table changed. */
            GID_CHANGE
        }
    }

    /**
     * The device failed; close everything.
     *
     * @param sequence see {@link AsyncEvent#sequence()}
     */
    record DeviceFatal(long sequence) implements AsyncEvent {}
}
