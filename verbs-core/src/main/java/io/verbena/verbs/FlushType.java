package io.verbena.verbs;

/** What a FLUSH work request asks for, with the numbers of ibv_wr_flush(3). */
public final class FlushType {
    /** Placement: every earlier write is visible to all of the peer's CPUs and devices. Needs FLUSH_GLOBAL. */
    public static final int GLOBAL = 1;
    /** Placement: every earlier write to the memory survives the loss of power. Needs FLUSH_PERSISTENT. */
    public static final int PERSISTENT = 1 << 1;
    /** Selectivity: a range of the region. */
    public static final int RANGE = 0;
    /** Selectivity: all that the key opens; address and length are ignored. */
    public static final int REGION = 1;

    private FlushType() {}
}
