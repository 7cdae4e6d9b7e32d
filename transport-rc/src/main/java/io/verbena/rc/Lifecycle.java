package io.verbena.rc;

import io.verbena.rc.packet.Verdict;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.WcStatus;

/** The state of a queue pair from RTR until it ends (IBA 10.3.1), with what every service tells its owner about it. */
final class Lifecycle {
    private final SendSource sends;
    private final CompletionSink sink;
    private QueuePairState state = QueuePairState.RTR;
    private boolean established;
    private boolean drained;

    Lifecycle(Host host) {
        sends = host.sends();
        sink = host.completions();
    }

    QueuePairState state() {
        return state;
    }

    boolean isSending() {
        return state == QueuePairState.RTS;
    }

    boolean isDraining() {
        return state == QueuePairState.SQD;
    }

    boolean isFailed() {
        return state == QueuePairState.ERR;
    }

    /** Whether work that is posted ends as flushed. */
    boolean isFlushing() {
        return isFailed() || state == QueuePairState.SQE;
    }

    /** To RTS, for the first time or again. */
    void send() {
        state = QueuePairState.RTS;
    }

    /** To SQD. */
    void drain() {
        state = QueuePairState.SQD;
        drained = false;
    }

    /** Tells the owner once that nothing is under way any more, when it has asked for that. */
    void reportDrained(boolean nothingUnderWay) {
        if (nothingUnderWay && isDraining() && !drained) {
            drained = true;
            sink.drained();
        }
    }

    /** Tells the owner of the first request that was served before the own end may send. */
    void served(Verdict verdict) {
        if (state == QueuePairState.RTR && !established && verdict == Verdict.ACCEPTED) {
            established = true;
            sink.established();
        }
    }

    /** To SQE: a send of an unreliable service failed, and the peer has no part in it. */
    void failSend() {
        state = QueuePairState.SQE;
        sink.failed(null);
    }

    /** To ERR; what that means is the caller's to do. */
    void fail() {
        state = QueuePairState.ERR;
    }

    /** Ends what was posted from a request on; returns the first that is not posted yet. */
    long flush(long from) {
        long posted = sends.posted();
        for (long sequence = from; sequence < posted; sequence++) {
            sink.sendEnded(sequence, WcStatus.WR_FLUSH_ERR.code(), 0);
        }
        return Math.max(from, posted);
    }
}
