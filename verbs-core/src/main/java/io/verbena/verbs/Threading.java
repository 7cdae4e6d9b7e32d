package io.verbena.verbs;

/** Who may call the data path of a queue pair, shared receive queue or completion queue; chosen at creation. */
public enum Threading {
    /** Any number of threads may post or poll at the same time; no call blocks. */
    SAFE,
    /**
     * One thread at a time; the caller orders the calls (a hand-over between threads needs a happens-before edge).
     * Posting sends, posting receives and polling may still each be on a thread of its own. Faster.
     * Closing and {@link QueuePair#modify} are safe from any thread in either mode.
     */
    SINGLE
}
