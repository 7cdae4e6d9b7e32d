package io.verbena.verbs;

/** Attributes of a queue pair that a modify call can set; the bits of enum ibv_qp_attr_mask (ibv_modify_qp(3)). */
public enum QueuePairAttribute {
    /** The state to go to. */
    STATE(0),
    /** The state the caller believes the queue pair to be in. */
    CUR_STATE(1),
    /** Whether the end of draining is reported. */
    EN_SQD_ASYNC_NOTIFY(2),
    /** What peers may do. */
    ACCESS_FLAGS(3),
    /** Index into the partition key table. */
    PKEY_INDEX(4),
    /** The physical port. */
    PORT(5),
    /** Queue key (UD). */
    QKEY(6),
    /** Address vector of the peer. */
    AV(7),
    /** Path MTU. */
    PATH_MTU(8),
    /** Local ACK timeout. */
    TIMEOUT(9),
    /** Retries after a timeout. */
    RETRY_CNT(10),
    /** Retries after receiver-not-ready. */
    RNR_RETRY(11),
    /** First packet sequence number expected. */
    RQ_PSN(12),
    /** READs and atomics this side may have outstanding. */
    MAX_QP_RD_ATOMIC(13),
    /** Alternate path. */
    ALT_PATH(14),
    /** Shortest wait a receiver-not-ready answer asks for. */
    MIN_RNR_TIMER(15),
    /** First packet sequence number sent. */
    SQ_PSN(16),
    /** READs and atomics the peer may have outstanding here. */
    MAX_DEST_RD_ATOMIC(17),
    /** Path migration state. */
    PATH_MIG_STATE(18),
    /** Queue sizes; fixed at creation on most devices. */
    CAP(19),
    /** The peer's queue pair number. */
    DEST_QPN(20);

    private final int bit;

    QueuePairAttribute(int bit) {
        this.bit = bit;
    }

    /**
     * This attribute's bit in an attribute mask.
     *
     * @return one bit
     */
    public int mask() {
        return 1 << bit;
    }

    /**
     * Names the attributes of a mask.
     *
     * @param mask the bits
     * @return names joined by {@code |}, or {@code none}
     */
    public static String toString(int mask) {
        StringBuilder text = new StringBuilder();
        for (QueuePairAttribute attribute : values()) {
            if ((mask & attribute.mask()) != 0) {
                text.append(text.isEmpty() ? "" : "|").append(attribute);
            }
        }
        return text.isEmpty() ? "none" : text.toString();
    }
}
