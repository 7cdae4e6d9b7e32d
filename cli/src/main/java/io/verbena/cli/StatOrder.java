package io.verbena.cli;

import io.verbena.nic.stat.CounterFileLayout;
import io.verbena.nic.stat.QueuePairSample;

/** By what queue pairs are ordered. */
enum StatOrder {
    /** By number, lowest first. */
    QPN,
    /** Bytes moved. */
    BYTES,
    /** Operations executed and receives completed. */
    OPS,
    /** Completions with an error. */
    ERRORS,
    /** Times that no receive was found. */
    RNR,
    /** Times that the answer timer ran out. */
    RETRIES;

    /** What is compared: the most comes first. */
    long key(QueuePairSample queuePair) {
        return switch (this) {
            case QPN -> -queuePair.qpNum();
            case BYTES -> queuePair.bytes();
            case OPS -> queuePair.operations() + queuePair.get(CounterFileLayout.RECEIVES);
            case ERRORS -> queuePair.errors();
            case RNR -> queuePair.get(CounterFileLayout.RNR_WAITS);
            case RETRIES -> queuePair.get(CounterFileLayout.RETRIES);
        };
    }
}
