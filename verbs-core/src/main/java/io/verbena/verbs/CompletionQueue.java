package io.verbena.verbs;

/**
 * A completion queue (struct ibv_cq). Completions of one send queue or one receive queue come in order; between
 * queues there is no order. Polling follows the {@link Threading} chosen at creation: in SAFE mode any thread may
 * poll, and a poll that meets another one in progress may return 0.
 */
public interface CompletionQueue extends AutoCloseable {
    /**
     * Takes a completion (ibv_poll_cq(3)): the oldest one of some send or receive queue. Never blocks, allocates
     * nothing, and drives the device.
     *
     * @param completion filled when 1 is returned
     * @return 1 when a completion was taken, 0 when there is none, {@link PostStatus#CQ_ERROR} when the queue is in
     *     error and drained, {@link PostStatus#CLOSED} when it is closed
     */
    int poll(WorkCompletion completion);

    /**
     * Like {@link #poll(WorkCompletion)}, but looks several times, with {@link Thread#onSpinWait} in between, before it
     * answers that there is none. For a thread that spins on one queue: it notices a completion sooner than a loop of
     * single polls, and disturbs the core that writes it less. A few looks (4 to 16) are enough.
     *
     * @param completion filled when 1 is returned
     * @param looks most looks, 1 or more; a device may end sooner
     * @return as for {@link #poll(WorkCompletion)}
     */
    default int poll(WorkCompletion completion, int looks) {
        if (looks < 1) {
            throw VerbsException.invalid("looks", looks, "1 or more");
        }
        for (int left = looks; ; left--) {
            int polled = poll(completion);
            if (polled != 0 || left == 1) {
                return polled;
            }
            Thread.onSpinWait();
        }
    }

    /**
     * Takes up to as many completions as the array has places (ibv_poll_cq(3)).
     *
     * @param completions filled from the start; no element may be null
     * @return how many were taken, or a negative code as for {@link #poll(WorkCompletion)}
     */
    int poll(WorkCompletion[] completions);

    /**
     * Hands up to max completions to a handler, one after another.
     *
     * @param handler called on this thread; when it throws, completions not yet handed over stay in the queue
     * @param max most completions to hand over, 0 or more
     * @return how many were handed over, or a negative code as for {@link #poll(WorkCompletion)}
     */
    int poll(CompletionHandler handler, int max);

    /**
     * Asks for one event when the next completion is added (ibv_req_notify_cq(3)). Completions already present do
     * not count, so poll until empty after arming. Arming again widens from solicited to all, never narrows.
     * Safe from any thread.
     *
     * @param solicitedOnly only completions of receives whose sender asked for it, and failures
     * @return {@link PostStatus#OK}, {@link PostStatus#WRONG_STATE} when the queue has no channel, or
     *     {@link PostStatus#CLOSED}
     */
    int arm(boolean solicitedOnly);

    /**
     * Acknowledges events that the channel delivered for this queue (ibv_ack_cq_events(3)). {@link #close()} waits
     * until every delivered event has been acknowledged. Safe from any thread.
     *
     * @param events 1 or more
     * @throws VerbsException EINVAL when fewer events are unacknowledged
     */
    void acknowledge(int events);

    /**
     * Changes the capacity (ibv_resize_cq(3)); no completion is lost, even under load.
     *
     * @param cqe completions to hold at least; at least as many as are in the queue, at most the device's max_cqe
     * @throws VerbsException EINVAL for other values, EIO when the queue has overflowed: close its queue pairs and
     *     create a larger one
     */
    void resize(int cqe);

    /**
     * How many completions the queue holds.
     *
     * @return at least what was asked for
     */
    int capacity();

    /**
     * What it holds. A control call: safe from any thread, not for the data path.
     *
     * @return counts as of now
     * @throws VerbsException EOPNOTSUPP when the device can't tell, EINVAL when the queue is closed
     */
    default CompletionQueueSnapshot snapshot() {
        throw VerbsException.unsupported("snapshot", "count what you poll instead");
    }

    /**
     * The channel its events go to.
     *
     * @return null when there is none
     */
    CompletionChannel channel();

    /**
     * The object given at creation.
     *
     * @return null when none was given
     */
    Object userContext();

    /**
     * The context this queue was made from.
     *
     * @return never null
     */
    Context context();

    /**
     * Destroys the queue (ibv_destroy_cq(3)): removes its undelivered events and waits until delivered ones have been
     * acknowledged. Closing twice does nothing.
     *
     * @throws VerbsException EBUSY while a queue pair uses it, EINTR when interrupted while waiting
     */
    @Override
    void close();
}
