package io.verbena.verbs;

import java.util.List;

/**
 * An open device (struct ibv_context): everything else is made from it. Control calls are safe from any thread.
 * {@link #close()} is refused with EBUSY while protection domains, completion queues, channels or allocated memory
 * of this context exist, so close those first; closing twice does nothing.
 */
public interface Context extends AutoCloseable {
    /**
     * The device this context was opened on.
     *
     * @return never null
     */
    Device device();

    /**
     * What the device can do (ibv_query_device(3)).
     *
     * @return the attributes; they do not change
     */
    DeviceAttributes queryDevice();

    /**
     * A port's attributes (ibv_query_port(3)).
     *
     * @param port from 1
     * @return a snapshot
     * @throws VerbsException EINVAL for a port that does not exist
     */
    PortAttributes queryPort(int port);

    /**
     * One entry of a port's GID table (ibv_query_gid_ex(3)).
     *
     * @param port from 1
     * @param index 0 to gidTableLength - 1
     * @return the entry
     * @throws VerbsException EINVAL for a port or index that does not exist, ENODATA for an empty entry
     */
    GidEntry queryGid(int port, int index);

    /**
     * All filled entries of all GID tables (ibv_query_gid_table(3)).
     *
     * @return by port, then by index
     */
    List<GidEntry> queryGidTable();

    /**
     * One entry of a port's partition key table (ibv_query_pkey(3)).
     *
     * @param port from 1
     * @param index 0 to pkeyTableLength - 1
     * @return 16 bits
     * @throws VerbsException EINVAL for a port or index that does not exist
     */
    int queryPkey(int port, int index);

    /**
     * Allocates a protection domain (ibv_alloc_pd(3)).
     *
     * @return a new domain; the caller closes it
     * @throws VerbsException ENOMEM when the device has no more
     */
    ProtectionDomain allocateProtectionDomain();

    /**
     * Allocates zeroed memory whose life the device controls: the fastest to register and to access.
     *
     * @param bytes 1 or more
     * @param alignment a power of two, 1 to 4096 bytes
     * @return new memory; the caller closes it
     * @throws VerbsException EINVAL for other values, ENOMEM when there is not enough
     */
    AllocatedMemory allocateMemory(long bytes, long alignment);

    /**
     * Creates a completion channel (ibv_create_comp_channel(3)).
     *
     * @return a new channel; the caller closes it
     */
    CompletionChannel createCompletionChannel();

    /**
     * Creates a completion queue (ibv_create_cq(3)).
     *
     * @param config its size, channel and threading
     * @return a new queue; the caller closes it
     * @throws VerbsException EINVAL when a value is out of range, ENOMEM when the device has no more
     */
    CompletionQueue createCompletionQueue(CompletionQueueConfig config);

    /**
     * Takes the oldest asynchronous event (ibv_get_async_event(3)); must be acknowledged afterwards.
     *
     * @param timeoutNanos how long to wait: 0 returns at once, negative waits without end
     * @return the event, or null when none came in time
     * @throws VerbsException EINTR when the thread is interrupted, EINVAL when the context is closed
     */
    AsyncEvent getAsyncEvent(long timeoutNanos);

    /**
     * Acknowledges an event (ibv_ack_async_event(3)). Closing a queue pair or completion queue waits until every
     * event taken about it has been acknowledged.
     *
     * @param event an event that {@link #getAsyncEvent} returned, once
     * @throws VerbsException EINVAL when it was acknowledged before or is not of this context
     */
    void acknowledge(AsyncEvent event);

    /**
     * Closes the context (ibv_close_device(3)).
     *
     * @throws VerbsException EBUSY while objects of this context exist
     */
    @Override
    void close();
}
