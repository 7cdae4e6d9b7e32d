package io.verbena.verbs;

/** Flags of a work completion, as bits (ibv_poll_cq(3)). */
public final class WcFlags {
    /** The first 40 bytes of the receive buffer hold a global routing header (UD). */
    public static final int GRH = 1;
    /** {@link WorkCompletion#imm()} is valid. */
    public static final int WITH_IMM = 1 << 1;
    /** The IP checksum was verified. */
    public static final int IP_CSUM_OK = 1 << 2;
    /** A key of ours was invalidated; {@link WorkCompletion#invalidatedRkey()} is valid. */
    public static final int WITH_INV = 1 << 3;

    private WcFlags() {}
}
