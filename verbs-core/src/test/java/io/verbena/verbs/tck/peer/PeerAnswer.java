package io.verbena.verbs.tck.peer;

import io.verbena.verbs.QueuePairState;
import java.io.Serializable;

/** What side B answers, as plain values. */
public sealed interface PeerAnswer extends Serializable {
    /**
     * A queue pair that was created.
     *
     * @param handle its name in commands
     * @param qpNum its number
     * @param gid the GID it sends from, 32 hexadecimal digits
     */
    record QueuePairInfo(int handle, int qpNum, String gid) implements PeerAnswer {}

    /**
     * What a query told.
     *
     * @param state the state
     * @param sqPsn next packet sequence number to send
     * @param rqPsn next packet sequence number expected
     * @param text all attributes
     */
    record QueuePairView(QueuePairState state, int sqPsn, int rqPsn, String text) implements PeerAnswer {}

    /**
     * A region that was registered.
     *
     * @param handle its name in commands
     * @param address its first byte
     * @param bytes its length
     * @param lkey local key
     * @param rkey remote key
     */
    record RegionInfo(int handle, long address, long bytes, int lkey, int rkey) implements PeerAnswer {}

    /**
     * A memory window that was allocated.
     *
     * @param handle its name in commands
     * @param rkey its key, which opens nothing yet
     */
    record WindowInfo(int handle, int rkey) implements PeerAnswer {}

    /**
     * An event that was taken and acknowledged.
     *
     * @param kind NONE when none came; COMPLETION; otherwise what happened, by the name in AsyncEvent
     * @param object number of the queue pair, or handle of the completion queue, or -1
     */
    record Event(String kind, int object) implements PeerAnswer {
        /** No event came in time. */
        public static final Event NONE = new Event("NONE", -1);
    }

    /**
     * What a service has done.
     *
     * @param messages how many messages it served
     * @param failure what went wrong; empty when nothing did
     */
    record ServiceReport(long messages, String failure) implements PeerAnswer {}
}
