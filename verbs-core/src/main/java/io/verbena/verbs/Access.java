package io.verbena.verbs;

/**
 * Access rights of memory regions, memory windows and queue pairs, as bits (ibv_reg_mr(3), ibv_modify_qp(3)).
 * Local read is always allowed.
 */
public final class Access {
    /** The NIC may write here for its owner: receives, results of READ and atomics. */
    public static final int LOCAL_WRITE = 1;
    /** A peer may RDMA WRITE here. Needs {@link #LOCAL_WRITE} on a region. */
    public static final int REMOTE_WRITE = 1 << 1;
    /** A peer may RDMA READ here. */
    public static final int REMOTE_READ = 1 << 2;
    /** A peer may do atomics here. Needs {@link #LOCAL_WRITE} on a region. */
    public static final int REMOTE_ATOMIC = 1 << 3;
    /** Memory windows may be bound to the region. */
    public static final int MW_BIND = 1 << 4;
    /** Remote addresses are offsets from the start. */
    public static final int ZERO_BASED = 1 << 5;
    /** Pages may be faulted in on demand; hardware only. */
    public static final int ON_DEMAND = 1 << 6;
    /** The memory is in huge pages; a hint. */
    public static final int HUGETLB = 1 << 7;
    /** A peer may flush to global visibility. */
    public static final int FLUSH_GLOBAL = 1 << 8;
    /** A peer may flush to persistence. */
    public static final int FLUSH_PERSISTENT = 1 << 9;
    /** Writes may be seen out of order; a hint in the optional range, ignored where unknown. */
    public static final int RELAXED_ORDERING = 1 << 20;
    /** Bits 20 to 29: optional, ignored by a device that does not know them. */
    public static final int OPTIONAL_RANGE = 0x3FF0_0000;

    private static final String[] NAMES = {
        "LOCAL_WRITE", "REMOTE_WRITE", "REMOTE_READ", "REMOTE_ATOMIC", "MW_BIND", "ZERO_BASED", "ON_DEMAND",
        "HUGETLB", "FLUSH_GLOBAL", "FLUSH_PERSISTENT"
    };

    private Access() {}

    /**
     * Names the rights in a bit mask.
     *
     * @param access the bits
     * @return for example {@code LOCAL_WRITE|REMOTE_READ}, or {@code none}
     */
    public static String toString(int access) {
        if (access == 0) {
            return "none";
        }
        StringBuilder text = new StringBuilder();
        for (int bit = 0; bit < Integer.SIZE; bit++) {
            if ((access & 1 << bit) != 0) {
                text.append(text.isEmpty() ? "" : "|").append(nameOf(bit));
            }
        }
        return text.toString();
    }

    private static String nameOf(int bit) {
        if (bit < NAMES.length) {
            return NAMES[bit];
        }
        return 1 << bit == RELAXED_ORDERING ? "RELAXED_ORDERING" : "bit " + bit;
    }
}
