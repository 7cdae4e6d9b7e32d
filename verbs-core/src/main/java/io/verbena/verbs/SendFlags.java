package io.verbena.verbs;

/** Flags of send work requests, as bits (ibv_post_send(3)). */
public final class SendFlags {
    /** Start only after all earlier RDMA READs and atomics of this send queue are complete. */
    public static final int FENCE = 1;
    /** Ask for a completion on success; looked at only when the queue pair was made with sqSigAll = false. */
    public static final int SIGNALED = 1 << 1;
    /** Wake a receiver that armed its completion queue for solicited completions only. */
    public static final int SOLICITED = 1 << 2;
    /**
     * Copy the data during the post; the buffer may be reused on return. The lkey is not checked, yet the bytes must
     * lie in memory registered in the queue pair's protection domain, so that a wrong address is refused rather than
     * dereferenced.
     */
    public static final int INLINE = 1 << 3;
    /** Offload IP checksums; UD and raw packet queue pairs of hardware only. */
    public static final int IP_CSUM = 1 << 4;
    /** All bits known here. */
    public static final int ALL = FENCE | SIGNALED | SOLICITED | INLINE | IP_CSUM;

    private SendFlags() {}
}
