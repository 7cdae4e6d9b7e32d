package io.verbena.nic.shm;

import io.verbena.nic.os.MemoryFile;
import io.verbena.verbs.Gid;

/**
 * What a NIC lets others use. Called by the thread of its {@link AttachmentService}, one call at a time; memory files
 * returned stay the NIC's.
 */
interface Exports {
    /** The board. */
    MemoryFile board();

    /** What a user gets who connects a queue pair. */
    record Inbox(QueuePairGeometry geometry, MemoryFile memory) {}

    /** Memory behind a key: the allocation, and which part of it the region is. */
    record Region(MemoryFile memory, long start, long bytes) {}

    /**
     * Opens the receive side of a queue pair to the peer that it is connected to.
     *
     * @param user the NIC that asks
     * @param userQpNum its queue pair
     * @param qpNum the own queue pair
     * @return where to send to
     * @throws RefusedException when the queue pair is not there or is connected to another one
     */
    Inbox openQueuePair(Gid user, int userQpNum, int qpNum) throws RefusedException;

    /**
     * The connection is no longer used. Also called for every open one when its user is gone.
     *
     * @param user the NIC that used it
     * @param userQpNum its queue pair
     * @param qpNum the own queue pair
     */
    void closeQueuePair(Gid user, int userQpNum, int qpNum);

    /**
     * Opens the memory behind a key.
     *
     * @param rkey the key
     * @return the memory
     * @throws RefusedException when there is no such key, or its memory can't be handed over
     */
    Region openRegion(int rkey) throws RefusedException;

    /**
     * A request of the user broke a connection that is open.
     *
     * @param userQpNum its queue pair
     * @param qpNum the own queue pair
     * @param kind an ordinal of QueuePairEvent.Kind, not looked at before
     * @throws RefusedException when there is no such kind
     */
    void broken(int userQpNum, int qpNum, int kind) throws RefusedException;
}
