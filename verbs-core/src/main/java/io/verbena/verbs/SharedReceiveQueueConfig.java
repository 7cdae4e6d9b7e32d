package io.verbena.verbs;

/**
 * What a shared receive queue is made from (struct ibv_srq_init_attr).
 *
 * @param maxWr receives it can hold, 1 or more
 * @param maxSge scatter/gather entries of one receive, 1 or more
 * @param threading who may post
 */
public record SharedReceiveQueueConfig(int maxWr, int maxSge, Threading threading) {
    /** Checks what can be checked without a device. */
    public SharedReceiveQueueConfig {
        if (maxWr < 1) {
            throw VerbsException.invalid("maxWr", maxWr, "1 or more");
        }
        if (maxSge < 1) {
            throw VerbsException.invalid("maxSge", maxSge, "1 or more");
        }
        if (threading == null) {
            throw VerbsException.invalid("threading", null, "SAFE or SINGLE");
        }
    }
}
