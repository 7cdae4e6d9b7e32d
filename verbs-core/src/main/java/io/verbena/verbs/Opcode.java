package io.verbena.verbs;

/** Opcodes of send work requests with their numbers in libibverbs (ibv_post_send(3)). */
public enum Opcode {
    /** Writes to the peer's memory; the peer's CPU is not involved. */
    RDMA_WRITE(0),
    /** Writes to the peer's memory, then completes one of its receives with the immediate value. */
    RDMA_WRITE_WITH_IMM(1),
    /** Sends a message into the peer's next posted receive. */
    SEND(2),
    /** Sends a message and a 32-bit immediate value. */
    SEND_WITH_IMM(3),
    /** Reads from the peer's memory. */
    RDMA_READ(4),
    /** Compares 8 bytes at the peer and swaps them when equal; returns the prior value. */
    ATOMIC_CMP_AND_SWP(5),
    /** Adds to 8 bytes at the peer; returns the prior value. */
    ATOMIC_FETCH_AND_ADD(6),
    /** Invalidates a local key. */
    LOCAL_INV(7),
    /** Binds a type 2 memory window. */
    BIND_MW(8),
    /** Sends a message and invalidates a key of the peer. */
    SEND_WITH_INV(9),
    /** Flushes earlier writes to the stated visibility. */
    FLUSH(14),
    /** Writes 8 bytes at the peer atomically. */
    ATOMIC_WRITE(15);

    private static final Opcode[] BY_CODE = new Opcode[16];

    static {
        for (Opcode opcode : values()) {
            BY_CODE[opcode.code] = opcode;
        }
    }

    private final int code;

    Opcode(int code) {
        this.code = code;
    }

    /**
     * The number libibverbs gives this opcode.
     *
     * @return 0 to 15
     */
    public int code() {
        return code;
    }

    /**
     * Finds an opcode by its number.
     *
     * @param code 0 to 15
     * @return the opcode, or null when the number is unknown
     */
    public static Opcode ofCode(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    }
}
