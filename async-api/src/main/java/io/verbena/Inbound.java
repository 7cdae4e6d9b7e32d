package io.verbena;

import io.verbena.async.op.Operation;

/** What a connection does with its receive queue: frames, or receives of the application. */
interface Inbound {
    /** Posts what has to be there before the peer may send; the queue pair is in INIT. */
    void prepare();

    /** Learns what the peer takes; the queue pair is about to be connected. */
    void opened(PeerLimits peer);

    /** Takes the peer's leave to send a message; false when it has no receive for one. Any thread. */
    boolean takeCredit();

    /** Gives back a leave that was not used. Any thread. */
    void returnCredit();

    /** Posts a message of the application; a code of {@link io.verbena.verbs.PostStatus}. Any thread. */
    int post(Operation operation);

    /** A receive has ended. Called by the driver. */
    void received(Receipt receipt);

    /** An operation on a place of the control table has ended; frees the place. Called by the driver. */
    void sent(Operation operation, int status);

    /**
     * Whether an operation that has completed, with a status, does not end by that: it ends later, by what the peer
     * answers, or has ended here. Called by the driver.
     */
    boolean endsLater(Operation operation, int status);

    /** There is time to do what was put off. Called by the driver. */
    void turn();

    /** Tells the peer that this side closes; false when it can't be told now. Called by the driver. */
    boolean disconnect();

    /** The longest message that both ends take. */
    long maxBytes();

    /** Whether the peer has said that it closes. */
    boolean isPeerGone();

    /** Nothing arrives any more: fails whoever waits. Called by the driver, perhaps several times. */
    void failed();

    /** The queue pair is gone: gives memory back. Called by the driver. */
    void closed();
}
