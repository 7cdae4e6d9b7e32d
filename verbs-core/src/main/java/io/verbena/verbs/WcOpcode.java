package io.verbena.verbs;

/** What a successful work completion completes, with the numbers of libibverbs (ibv_poll_cq(3)). */
public enum WcOpcode {
    /** A SEND of any kind. */
    SEND(0),
    /** An RDMA WRITE of any kind. */
    RDMA_WRITE(1),
    /** An RDMA READ. */
    RDMA_READ(2),
    /** A compare and swap. */
    COMP_SWAP(3),
    /** A fetch and add. */
    FETCH_ADD(4),
    /** A memory window bind. */
    BIND_MW(5),
    /** A local invalidation. */
    LOCAL_INV(6),
    /** A flush. */
    FLUSH(8),
    /** An atomic write. */
    ATOMIC_WRITE(9),
    /** A message arrived in a receive. */
    RECV(128),
    /** An RDMA WRITE with immediate arrived; the receive's buffers are untouched. */
    RECV_RDMA_WITH_IMM(129);

    private static final WcOpcode[] BY_CODE = new WcOpcode[130];

    static {
        for (WcOpcode opcode : values()) {
            BY_CODE[opcode.code] = opcode;
        }
    }

    private final int code;

    WcOpcode(int code) {
        this.code = code;
    }

    /**
     * The number libibverbs gives this opcode; bit 7 is set on the receive side.
     *
     * @return 0 to 129
     */
    public int code() {
        return code;
    }

    /**
     * Tells the two sides apart.
     *
     * @return true for a completion of a receive work request
     */
    public boolean isReceive() {
        return (code & 128) != 0;
    }

    /**
     * Finds an opcode by its number.
     *
     * @param code 0 to 129
     * @return the opcode, or null when the number is unknown
     */
    public static WcOpcode ofCode(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    }
}
