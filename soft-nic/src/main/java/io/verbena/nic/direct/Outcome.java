package io.verbena.nic.direct;

/** What comes of one try of a request, besides 0 for success and the codes of WcStatus. */
final class Outcome {
    /** The peer has no receive for it. */
    static final int NOT_READY = -1;
    /** Nobody answers: there is no connection, or it went away meanwhile. */
    static final int UNANSWERED = -2;
    /** The peer's receive buffers may not be written; what that is for sender and receiver depends on the request. */
    static final int RECEIVE_FAULT = -3;
    /** The peer of an unreliable connection lost the message: a success for the sender. */
    static final int LOST = -4;
    /** The peer's completion queue is full. */
    static final int OVERFLOW = -5;
    /** Somebody else has yet to do something, another process perhaps: to be looked at again. */
    static final int PENDING = -7;
    /** The owner of the peer, another process, has to say what comes of it. */
    static final int DELEGATE = -8;

    private Outcome() {}
}
