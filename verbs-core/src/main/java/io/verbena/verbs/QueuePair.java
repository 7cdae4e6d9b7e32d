package io.verbena.verbs;

/**
 * A queue pair (struct ibv_qp): a send queue and a receive queue, connected to a peer by
 * {@link #modify(QueuePairAttributes)}.
 *
 * <p>Posting never blocks, allocates nothing and throws nothing for an expected outcome: it returns a code of
 * {@link PostStatus}. Who may post is the {@link Threading} chosen at creation. Local buffers belong to the device
 * from the post until the completion of the work request (or of a later one of the same queue when it was not
 * signalled) has been polled; an INLINE buffer may be reused at once.
 */
public interface QueuePair extends AutoCloseable {
    /**
     * The queue pair number.
     *
     * @return 24 bits, unique on the device, not reused soon
     */
    int qpNum();

    /**
     * The transport service.
     *
     * @return never null
     */
    QueuePairType type();

    /**
     * The current state.
     *
     * @return never null
     */
    QueuePairState state();

    /**
     * The protection domain it belongs to.
     *
     * @return never null
     */
    ProtectionDomain protectionDomain();

    /**
     * Where sends complete.
     *
     * @return never null
     */
    CompletionQueue sendCq();

    /**
     * Where receives complete.
     *
     * @return never null
     */
    CompletionQueue recvCq();

    /**
     * The sizes granted: at least what was asked for.
     *
     * @return never null
     */
    QueuePairCapabilities capabilities();

    /**
     * Changes state and attributes (ibv_modify_qp(3)), by the rules of the type's state machine. All or nothing: after
     * an exception nothing has changed. Safe from any thread.
     *
     * @param attributes what to set; its mask tells which attributes count
     * @throws VerbsException EINVAL naming the attribute, its value and what is allowed
     */
    void modify(QueuePairAttributes attributes);

    /**
     * The current attributes (ibv_query_qp(3)): sqPsn is the next packet sequence number to send, rqPsn the next one
     * expected. Safe from any thread.
     *
     * @return a new object that the caller may change
     */
    QueuePairAttributes query();

    /**
     * Where its rings stand. A control call: safe from any thread, not for the data path.
     *
     * @return counts as of now
     * @throws VerbsException EOPNOTSUPP when the device can't tell, EINVAL when the queue pair is closed
     */
    default QueuePairSnapshot snapshot() {
        throw VerbsException.unsupported("snapshot", "count what you post and poll instead");
    }

    /**
     * Sends a message of one buffer.
     *
     * @param wrId comes back in the completion
     * @param address first byte of the buffer
     * @param length bytes, 0 to 2^31
     * @param lkey local key of the buffer's region; ignored when length is 0
     * @param flags bits of {@link SendFlags}
     * @return a code of {@link PostStatus}
     */
    int postSend(long wrId, long address, long length, int lkey, int flags);

    /**
     * Writes one buffer to the peer's memory.
     *
     * @param wrId comes back in the completion
     * @param address first byte of the buffer
     * @param length bytes, 0 to 2^31
     * @param lkey local key of the buffer's region; ignored when length is 0
     * @param remoteAddress first byte at the peer
     * @param rkey the peer's remote key; ignored when length is 0
     * @param flags bits of {@link SendFlags}
     * @return a code of {@link PostStatus}
     */
    int postWrite(long wrId, long address, long length, int lkey, long remoteAddress, int rkey, int flags);

    /**
     * Reads the peer's memory into one buffer.
     *
     * @param wrId comes back in the completion
     * @param address first byte of the buffer
     * @param length bytes, 0 to 2^31
     * @param lkey local key of the buffer's region, which needs {@link Access#LOCAL_WRITE}
     * @param remoteAddress first byte at the peer
     * @param rkey the peer's remote key; ignored when length is 0
     * @param flags bits of {@link SendFlags}, without INLINE
     * @return a code of {@link PostStatus}
     */
    int postRead(long wrId, long address, long length, int lkey, long remoteAddress, int rkey, int flags);

    /**
     * Adds to 8 bytes at the peer and stores the prior value, in the byte order of the host.
     *
     * @param wrId comes back in the completion
     * @param address where the prior value goes: 8 bytes
     * @param lkey local key of that region, which needs {@link Access#LOCAL_WRITE}
     * @param remoteAddress the 8 bytes at the peer, a multiple of 8
     * @param rkey the peer's remote key
     * @param add added modulo 2^64
     * @param flags bits of {@link SendFlags}, without INLINE
     * @return a code of {@link PostStatus}
     */
    int postFetchAndAdd(long wrId, long address, int lkey, long remoteAddress, int rkey, long add, int flags);

    /**
     * Posts a list of sends of any opcode with one doorbell (ibv_post_send(3)).
     *
     * @param requests the list; afterwards it tells which request was refused and why. Earlier ones stay posted
     * @return a code of {@link PostStatus}
     */
    int postSend(SendRequests requests);

    /**
     * Posts a list of sends with one doorbell, all of them or none (ibv_wr_start(3) to ibv_wr_complete(3)). When any of
     * them is refused, or there is no room for all, nothing has happened. What another thread posts comes before or
     * behind all of them.
     *
     * @param requests the list; afterwards it tells which request was refused and why
     * @return a code of {@link PostStatus}
     */
    int postAll(SendRequests requests);

    /**
     * Posts one receive of one buffer. Datagrams (UD) need {@link RouteHeader#BYTES} bytes more than the message: the
     * buffer begins with a header.
     *
     * @param wrId comes back in the completion
     * @param address first byte of the buffer
     * @param length bytes, 0 or more
     * @param lkey local key of the buffer's region, which needs {@link Access#LOCAL_WRITE}
     * @return a code of {@link PostStatus}
     */
    int postReceive(long wrId, long address, long length, int lkey);

    /**
     * Posts a list of receives (ibv_post_recv(3)).
     *
     * @param requests the list; afterwards it tells which request was refused and why. Earlier ones stay posted
     * @return a code of {@link PostStatus}
     */
    int postReceive(ReceiveRequests requests);

    /**
     * Sends a datagram of one buffer (UD). It arrives behind {@link RouteHeader#BYTES} bytes of header: a receive needs
     * so much room more. What finds no receive, one too short, or another queue key is lost without a word. A longer
     * message than the port takes ends in LOC_LEN_ERR and, like every failed send of UD and UC, takes the queue pair to
     * SQE: later sends are flushed, receives go on, and a modify to RTS leads back.
     *
     * @param wrId comes back in the completion
     * @param address first byte of the buffer
     * @param length bytes, 0 to the port's active MTU
     * @param lkey local key of the buffer's region; ignored when length is 0
     * @param to the receiver; its address handle must stay open until the work request completes
     * @param flags bits of {@link SendFlags}
     * @return a code of {@link PostStatus}
     */
    int postSend(long wrId, long address, long length, int lkey, Destination to, int flags);

    /**
     * The shared receive queue it draws from.
     *
     * @return null when it has a receive queue of its own
     */
    SharedReceiveQueue sharedReceiveQueue();

    /**
     * Joins a multicast group (ibv_attach_mcast(3)): datagrams sent to the group are delivered here too, its own
     * included. Joining twice counts once.
     *
     * @param group a multicast GID (its first byte is 0xff)
     * @throws VerbsException EINVAL for another GID, a queue pair that is not UD, or a closed one; ENOMEM
     */
    void attachMulticast(Gid group);

    /**
     * Leaves a multicast group (ibv_detach_mcast(3)).
     *
     * @param group a group that was joined
     * @throws VerbsException EINVAL when it was not
     */
    void detachMulticast(Gid group);

    /**
     * Destroys the queue pair (ibv_destroy_qp(3)). Waits for accesses in flight and until every event taken about it
     * has been acknowledged; completions not yet polled are dropped. The peer's requests end in RETRY_EXC_ERR.
     * Closing twice does nothing.
     *
     * @throws VerbsException EBUSY while attached to a multicast group, EINTR when interrupted while waiting
     */
    @Override
    void close();
}
