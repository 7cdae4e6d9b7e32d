package io.verbena.nic.direct;

import io.verbena.verbs.Gid;
import java.lang.foreign.MemorySegment;

/** Finds peers in other processes. */
public interface Neighbours {
    /**
     * Looks for the peer of a queue pair, some time soon, on a thread of its own; by any thread.
     *
     * @param seeker a connected queue pair whose peer is not in this process
     */
    void seek(Endpoint seeker);

    /**
     * A connection is over, and the seeker uses nothing of the peer's any more; waits for nobody.
     *
     * @param peer what was found
     */
    void leave(Peer peer);

    /**
     * Sends a datagram to the NIC of another process, or to all of them when it is for a group. It may get lost.
     *
     * @param to a NIC or a group
     * @param datagram what it says
     * @param payload begins with what it holds
     * @return what became of it
     */
    Fate send(Gid to, Datagram datagram, MemorySegment payload);

    /** What became of a datagram. */
    enum Fate {
        /** It is on its way. */
        SENT,
        /** The receiver's process has yet to take out what came before. */
        NO_ROOM,
        /** Nobody is known there. */
        UNKNOWN
    }

    /** Whether datagrams for groups go to any NIC of another process. */
    boolean hasOthers();
}
