package io.verbena.nic.direct;

/** Finds peers in other processes. */
public interface Neighbours {
    /**
     * Looks for the peer of a queue pair, some time soon, on a thread of its own; by any thread.
     *
     * @param seeker a connected queue pair whose peer is not in this process
     */
    void seek(Endpoint seeker);

    /**
     * A connection is over; under the control lock, when the seeker uses nothing of the peer's any more.
     *
     * @param peer what was found
     */
    void leave(Peer peer);
}
