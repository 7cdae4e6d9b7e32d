package io.verbena.nic.direct;

import io.verbena.verbs.QueuePairState;

/**
 * What executes the requests of a queue pair whose peer only packets reach, instead of {@link Executor}. It holds the
 * claim on the send queue as long as the queue pair lives.
 */
public interface Outlet {
    /** Requests were posted; by any thread, waits for nobody. */
    void ring();

    /**
     * Looks at the state, which others may have changed; by the holder of the progress role.
     *
     * @return whether to call again soon
     */
    boolean advance();

    /**
     * Attributes, or attributes and state, are about to change; under the control lock, while nobody drives progress.
     *
     * @param path the new attributes
     * @param from the state before
     * @param to the state afterwards
     */
    void apply(Path path, QueuePairState from, QueuePairState to);

    /** Drops everything, in RESET; under the control lock, while nobody drives progress and nobody posts. */
    void reset();

    /** Whether a request begun before SQD is not finished; by any thread. */
    boolean isDraining();
}
