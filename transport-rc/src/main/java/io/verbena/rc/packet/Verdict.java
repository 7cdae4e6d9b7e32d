package io.verbena.rc.packet;

/**
 * What became of a packet that came in. Each is counted; a packet that is dropped is never answered, so that nobody
 * learns from a guess (IBA 9.6).
 */
public enum Verdict {
    /** It was taken. */
    ACCEPTED,
    /** It was here before; it may be answered again, but nothing is executed again. */
    DUPLICATE,
    /** A packet before it is missing. */
    OUT_OF_SEQUENCE,
    /** Shorter than its headers, pad and CRC, or not a multiple of four bytes. */
    BAD_LENGTH,
    /** Longer than any packet may be. */
    TOO_LONG,
    /** The opcode is not spoken here. */
    UNKNOWN_OPCODE,
    /** The transport version is not 0. */
    BAD_VERSION,
    /** The invariant CRC is wrong. */
    BAD_ICRC,
    /** It was sent to another address. */
    NOT_OURS,
    /** There is no such queue pair. */
    UNKNOWN_QP,
    /** The queue pair is of another type. */
    WRONG_TRANSPORT,
    /** The queue pair takes no such packets now. */
    WRONG_STATE,
    /** It comes from another address than the connection's. */
    FOREIGN_SOURCE,
    /** The partition key does not match. */
    BAD_PKEY,
    /** The queue key does not match. */
    BAD_QKEY,
    /** It answers nothing that is outstanding. */
    STALE,
    /** It asks again for what is remembered no more, or differently than before. */
    FORGOTTEN,
    /** There is no receive for it, and nobody is told. */
    NO_RECEIVE,
    /** It does not fit its receive, and nobody is told. */
    DOES_NOT_FIT,
    /** It belongs to a message whose start was lost. */
    BROKEN_MESSAGE,
    /** It names memory that it may not touch, and nobody is told. */
    NOT_ALLOWED,
    /** The other end is congested; noted, nothing follows. */
    CONGESTION;

    /**
     * Whether a packet with this verdict was dropped for a reason of its own.
     *
     * @return false for what belongs to the ordinary life of a connection
     */
    public boolean isDrop() {
        return ordinal() > OUT_OF_SEQUENCE.ordinal();
    }
}
