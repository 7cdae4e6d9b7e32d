package io.verbena.nic.direct;

import io.verbena.verbs.WcStatus;

/**
 * How often and how long the work request at the head of a send queue has been tried (IBA 9.7.5.1.3, 9.9.2.4.2).
 * Pure: the time comes in. Used by the holder of the send queue.
 */
final class Retry {
    /** What {@link #notReady} and {@link #unanswered} return when the request is tried again later. */
    static final int AGAIN = -1;

    private static final int RNR_WITHOUT_END = 7;

    private boolean begun;
    private boolean awaitingAnswer;
    private int rnrNaks;
    private int sends;
    private volatile long deadline = Progress.NEVER;
    private volatile boolean waiting;

    /** Whether the head was tried and has to wait until {@link #deadline}. */
    boolean isWaiting() {
        return waiting;
    }

    long deadline() {
        return deadline;
    }

    /** Whether the head has been tried at least once. */
    boolean hasBegun() {
        return begun;
    }

    /** Whether the wait is over. */
    boolean isDue(long nowNs) {
        return !waiting || deadline != Progress.NEVER && nowNs - deadline >= 0;
    }

    /** Starts over with the next work request. */
    void reset() {
        if (begun) {
            begun = false;
            awaitingAnswer = false;
            waiting = false;
            rnrNaks = 0;
            sends = 0;
            deadline = Progress.NEVER;
        }
    }

    /** The peer had no receive; a status code when that was once too often. */
    int notReady(long nowNs, int rnrRetry, long waitNs) {
        begin();
        sends = 0;
        awaitingAnswer = false;
        if (rnrRetry != RNR_WITHOUT_END && rnrNaks >= rnrRetry) {
            return WcStatus.RNR_RETRY_EXC_ERR.code();
        }
        rnrNaks = rnrRetry == RNR_WITHOUT_END ? 0 : rnrNaks + 1;
        deadline = nowNs + waitNs;
        return AGAIN;
    }

    /** Nobody will answer this try; it counts when the time for an answer has run out. */
    int unanswered(long nowNs, long timeoutNs) {
        begin();
        sends++;
        awaitingAnswer = true;
        deadline = timeoutNs == 0 ? Progress.NEVER : nowNs + timeoutNs;
        return AGAIN;
    }

    /** It was handed to another process, which will answer: to be looked at again after a while. */
    void handedOver(long lookAgain) {
        begun = true;
        waiting = false;
        deadline = lookAgain;
    }

    /** Whether the wait is for an answer, rather than for a receive of the peer. */
    boolean isAwaitingAnswer() {
        return awaitingAnswer;
    }

    /** Whether the tries without an answer are used up, once the wait is over. */
    boolean isExhausted(int retryCount) {
        return awaitingAnswer && sends > retryCount;
    }

    private void begin() {
        begun = true;
        waiting = true;
    }
}
