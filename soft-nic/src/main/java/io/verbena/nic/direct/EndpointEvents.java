package io.verbena.nic.direct;

import io.verbena.verbs.AsyncEvent.QueuePairEvent.Kind;

/** What an endpoint tells its control plane; called by any thread, must not block. */
public interface EndpointEvents {
    /**
     * Something happened to the queue pair.
     *
     * @param kind what
     */
    void raise(Kind kind);
}
