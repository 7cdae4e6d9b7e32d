package io.verbena.verbs;

/** A receive queue that many queue pairs draw from (struct ibv_srq). */
public interface SharedReceiveQueue extends AutoCloseable {
    /**
     * Posts one receive of one buffer (ibv_post_srq_recv(3)).
     *
     * @param wrId comes back in the completion
     * @param address first byte of the buffer
     * @param length bytes
     * @param lkey the region's local key
     * @return a code of {@link PostStatus}
     */
    int postReceive(long wrId, long address, long length, int lkey);

    /**
     * Posts a list of receives (ibv_post_srq_recv(3)).
     *
     * @param requests the list; it notes which request was refused
     * @return a code of {@link PostStatus}
     */
    int postReceive(ReceiveRequests requests);

    /**
     * Frees the queue (ibv_destroy_srq(3)); closing twice does nothing.
     *
     * @throws VerbsException EBUSY while a queue pair uses it
     */
    @Override
    void close();
}
