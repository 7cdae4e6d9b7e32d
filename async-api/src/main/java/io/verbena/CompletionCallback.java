package io.verbena;

/**
 * Told of the end of operations, by the thread that drives completions: the poller's, or one that waits for a future.
 * It may start operations and wait for futures (it then drives by itself), but should not block otherwise: every
 * other completion waits for it. On a node with {@link DeliveryConfig#workers()} a worker's thread calls it instead,
 * and one that blocks holds up the connections of that worker only. One callback may serve any number of operations;
 * the token tells them apart.
 */
@FunctionalInterface
public interface CompletionCallback {
    /**
     * An operation has ended.
     *
     * @param token what the operation was started with
     * @param status {@link OperationStatus#SUCCESS}, a positive code of {@link io.verbena.verbs.WcStatus}, or a
     *     negative code of {@link OperationStatus}. After {@link OperationStatus#DEADLINE} the NIC may still use the
     *     memory
     * @param value the prior value of an atomic, else the bytes moved
     */
    void onCompletion(long token, int status, long value);
}
