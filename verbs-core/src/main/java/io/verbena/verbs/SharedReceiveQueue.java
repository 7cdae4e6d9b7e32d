package io.verbena.verbs;

/**
 * A receive queue that many queue pairs draw from (struct ibv_srq). Receives are taken in the order they were posted;
 * they complete in any order, each in the receive completion queue of the queue pair that took it. A place is free
 * again once its completion has been polled. Every method is safe from any thread; posting takes no lock and allocates
 * nothing.
 *
 * <p>Going to ERR flushes nothing here: {@link AsyncEvent.QueuePairEvent.Kind#QP_LAST_WQE_REACHED} tells that a queue
 * pair takes no more.
 */
public interface SharedReceiveQueue extends AutoCloseable {
    /**
     * The protection domain whose local keys its receives use.
     *
     * @return never null
     */
    ProtectionDomain protectionDomain();

    /**
     * Receives it can hold, posted or taken and not polled yet (max_wr).
     *
     * @return 1 or more
     */
    int capacity();

    /**
     * Scatter/gather entries of one receive (max_sge).
     *
     * @return 1 or more
     */
    int maxSge();

    /**
     * The armed limit (srq_limit of ibv_query_srq(3)).
     *
     * @return 0 while none is armed, or after it was reported
     */
    int limit();

    /**
     * Arms the limit (ibv_modify_srq(3), IBV_SRQ_LIMIT): when a message has been taken and fewer receives than this are
     * left, one {@link AsyncEvent.SharedReceiveQueueEvent} with limitReached is raised and the limit is 0 again.
     *
     * @param limit 0 (none) to {@link #capacity()}
     * @throws VerbsException EINVAL for another value or when closed
     */
    void setLimit(int limit);

    /**
     * Changes the capacity (ibv_modify_srq(3), IBV_SRQ_MAX_WR). Posting and traffic go on meanwhile.
     *
     * @param maxWr 1 to the device's MAX_SRQ_WR, not below the receives in the queue, nor below the armed limit
     * @throws VerbsException EINVAL for another value or when closed, ENOMEM
     */
    void resize(int maxWr);

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
