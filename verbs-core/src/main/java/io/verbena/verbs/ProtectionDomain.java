package io.verbena.verbs;

import java.lang.foreign.MemorySegment;

/**
 * A protection domain (struct ibv_pd): keys work only with queue pairs of the same domain. Control calls are safe
 * from any thread. {@link #close()} is refused with EBUSY while regions, windows, queue pairs, shared receive queues
 * or address handles of it exist; closing twice does nothing.
 */
public interface ProtectionDomain extends AutoCloseable {
    /**
     * The context this domain was made from.
     *
     * @return never null
     */
    Context context();

    /**
     * Registers memory under its own addresses (ibv_reg_mr(3)).
     *
     * @param segment native memory that every thread may access (not a heap segment, not of a confined arena), at
     *     least 1 byte. The region keeps it reachable. Closing its arena early is answered by error completions
     * @param access bits of {@link Access}; REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE
     * @return a new region; the caller closes it
     * @throws VerbsException EINVAL, EOPNOTSUPP or EACCES saying what is not allowed, ENOMEM when the table is full
     */
    MemoryRegion register(MemorySegment segment, int access);

    /**
     * Registers memory under addresses of the caller's choice (ibv_reg_mr_iova(3)).
     *
     * @param segment as in {@link #register(MemorySegment, int)}
     * @param iova what work requests call the first byte; 0 makes a zero-based region
     * @param access as in {@link #register(MemorySegment, int)}; REMOTE_ATOMIC needs iova and the true address to be
     *     equal modulo 8
     * @return a new region; the caller closes it
     * @throws VerbsException as in {@link #register(MemorySegment, int)}
     */
    MemoryRegion register(MemorySegment segment, long iova, int access);

    /**
     * Allocates a memory window (ibv_alloc_mw(3)).
     *
     * @param type how it is bound
     * @return a new window; the caller closes it
     * @throws VerbsException EOPNOTSUPP when the device has none
     */
    MemoryWindow allocateMemoryWindow(MemoryWindow.Type type);

    /**
     * Creates a queue pair in RESET (ibv_create_qp(3)).
     *
     * @param config its type, completion queues and sizes
     * @return a new queue pair; the caller closes it
     * @throws VerbsException EINVAL when a value is out of range or an object is of another context, EIO when a
     *     completion queue has overflowed, ENOMEM when the device has no more or memory is short
     */
    QueuePair createQueuePair(QueuePairConfig config);

    /**
     * Creates a shared receive queue (ibv_create_srq(3)).
     *
     * @param config its sizes
     * @return a new queue; the caller closes it
     * @throws VerbsException EOPNOTSUPP when the device has none, EINVAL when a value is out of range
     */
    SharedReceiveQueue createSharedReceiveQueue(SharedReceiveQueueConfig config);

    /**
     * Creates an address handle for UD (ibv_create_ah(3)).
     *
     * @param vector the way to the peer
     * @return a new handle; it must outlive every work request that names it
     * @throws VerbsException EOPNOTSUPP when the device has none, EINVAL when the vector is not usable
     */
    AddressHandle createAddressHandle(AddressVector vector);

    /**
     * Creates an address handle to the sender of a datagram (ibv_create_ah_from_wc(3)).
     *
     * @param completion the datagram's completion, with {@link WcFlags#GRH}
     * @param buffer what the datagram was received into; its first {@link RouteHeader#BYTES} bytes are the header
     * @param port the own port it came in by, from 1
     * @return a new handle; send to {@link WorkCompletion#srcQp()}
     * @throws VerbsException EINVAL when the completion is not one of a datagram, the header not a header, or the
     *     buffer one that the calling thread may not read
     */
    default AddressHandle createAddressHandle(WorkCompletion completion, MemorySegment buffer, int port) {
        return createAddressHandle(RouteHeader.replyTo(context(), completion, buffer, port));
    }

    /**
     * Frees the domain (ibv_dealloc_pd(3)).
     *
     * @throws VerbsException EBUSY while objects of this domain exist
     */
    @Override
    void close();
}
