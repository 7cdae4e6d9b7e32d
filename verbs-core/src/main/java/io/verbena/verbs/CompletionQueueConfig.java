package io.verbena.verbs;

/**
 * What a completion queue is made from (ibv_create_cq(3)).
 *
 * @param cqe completions it holds at least, 1 to the device's max_cqe
 * @param channel where its events go; null when it will never be armed
 * @param completionVector 0 to the device's number of vectors - 1
 * @param threading who may poll
 * @param userContext anything; comes back from {@link CompletionQueue#userContext()}
 */
public record CompletionQueueConfig(
        int cqe, CompletionChannel channel, int completionVector, Threading threading, Object userContext) {
    /** Checks what can be checked without a device. */
    public CompletionQueueConfig {
        if (cqe < 1) {
            throw VerbsException.invalid("cqe", cqe, "1 to the device's max_cqe");
        }
        if (completionVector < 0) {
            throw VerbsException.invalid("completionVector", completionVector, "0 to the number of vectors - 1");
        }
        if (threading == null) {
            throw VerbsException.invalid("threading", null, "SAFE or SINGLE");
        }
    }

    /**
     * A queue that any thread may poll, without events.
     *
     * @param cqe completions it holds at least
     * @return the configuration
     */
    public static CompletionQueueConfig of(int cqe) {
        return new CompletionQueueConfig(cqe, null, 0, Threading.SAFE, null);
    }

    /**
     * The same with a channel for events.
     *
     * @param newChannel where events go; null for none
     * @return a changed copy
     */
    public CompletionQueueConfig withChannel(CompletionChannel newChannel) {
        return new CompletionQueueConfig(cqe, newChannel, completionVector, threading, userContext);
    }

    /**
     * The same with another threading mode.
     *
     * @param newThreading who may poll
     * @return a changed copy
     */
    public CompletionQueueConfig withThreading(Threading newThreading) {
        return new CompletionQueueConfig(cqe, channel, completionVector, newThreading, userContext);
    }

    /**
     * The same with another completion vector.
     *
     * @param newVector 0 to the device's number of vectors - 1
     * @return a changed copy
     */
    public CompletionQueueConfig withCompletionVector(int newVector) {
        return new CompletionQueueConfig(cqe, channel, newVector, threading, userContext);
    }

    /**
     * The same with an object of the caller's.
     *
     * @param newContext anything
     * @return a changed copy
     */
    public CompletionQueueConfig withUserContext(Object newContext) {
        return new CompletionQueueConfig(cqe, channel, completionVector, threading, newContext);
    }
}
