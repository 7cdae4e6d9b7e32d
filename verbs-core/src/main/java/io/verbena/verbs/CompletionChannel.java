package io.verbena.verbs;

/**
 * Where completion queues report that they are no longer empty (struct ibv_comp_channel). Safe from any thread.
 * The loop that loses nothing: {@link #get}, {@link CompletionQueue#acknowledge}, {@link CompletionQueue#arm}, then
 * poll until empty.
 */
public interface CompletionChannel extends AutoCloseable {
    /**
     * Takes the oldest event (ibv_get_cq_event(3)). While waiting it drives the device, so that timers of queue pairs
     * run even when nobody else calls.
     *
     * @param timeoutNanos how long to wait: 0 returns at once, negative waits without end
     * @return the queue that reported, to be acknowledged; null when none did in time
     * @throws VerbsException EINTR when the thread is interrupted, EINVAL when the channel is closed
     */
    CompletionQueue get(long timeoutNanos);

    /**
     * Destroys the channel (ibv_destroy_comp_channel(3)). Closing twice does nothing.
     *
     * @throws VerbsException EBUSY while a completion queue refers to it
     */
    @Override
    void close();
}
