package io.verbena.rc;

import io.verbena.verbs.AsyncEvent.QueuePairEvent.Kind;

/**
 * Where the engine reports what ended. Called by the thread that drives the engine, from inside its inputs and outputs;
 * must not call back into the engine, block or throw.
 */
public interface CompletionSink {
    /**
     * A work request has ended. Called once for each, in the order of posting, also for those that want no completion:
     * the owner reports it when it failed or was signalled, and may use its slot again.
     *
     * @param sequence of the request
     * @param status code of {@link io.verbena.verbs.WcStatus}
     * @param bytes moved when it succeeded
     * @return false when the completion queue is full and the completion lost
     */
    boolean sendEnded(long sequence, int status, long bytes);

    /**
     * A receive has ended. Called once for each that was taken, in the order they were taken.
     *
     * @param receive handle of {@link ReceiveSource#take}
     * @param status code of {@link io.verbena.verbs.WcStatus}
     * @param delivery what arrived, when it succeeded; valid during the call
     * @return false when the completion queue is full and the completion lost
     */
    boolean receiveEnded(long receive, int status, Delivery delivery);

    /**
     * The connection went to ERR, or a send queue without connection to SQE; the engine flushes what was sent, the
     * owner what was posted to receive and not taken.
     *
     * @param kind the event to raise; null when the completion of a work request tells, or when the owner did it
     */
    void failed(Kind kind);

    /** The first packet of the peer arrived before the connection was ready to send. */
    void established();

    /** Draining has ended: no request is under way. */
    void drained();

    /** The peer did not answer in time; what follows is another try or the end. Only to be counted. */
    default void answerMissing() {}

    /** The peer had no receive for a message; what follows is another try or the end. Only to be counted. */
    default void peerNotReady() {}

    /** The peer was told that there is no receive for its message. Only to be counted. */
    default void notReady() {}
}
