package io.verbena.nic.ring;

/**
 * One place of a {@link SharedQueue}: a posted receive, and later its completion. Its size is a power of two that
 * depends on the most scatter/gather entries.
 *
 * <pre>
 *   0 detail    of the completion, see {@link Detail}
 *   8 imm       immediate value
 *  12 srcQp     sender's queue pair number (UD)
 *  16 qpNum     queue pair that took the receive
 *  20 count     number of buffers
 *  24 wrId
 *  32 total     bytes of all buffers together; once the receive is completed, where its queue pair counts
 *  40 buffers   see {@link SgeLayout}
 * </pre>
 */
final class SharedWqeLayout {
    static final int DETAIL = 0;
    static final int IMM = 8;
    static final int SRC_QP = 12;
    static final int QP_NUM = 16;
    static final int COUNT = 20;
    static final int WR_ID = 24;
    static final int TOTAL = 32;
    static final int COUNTERS = TOTAL;
    static final int BUFFERS = 40;

    private SharedWqeLayout() {}

    static int shift(int maxSge) {
        return Long.SIZE - Long.numberOfLeadingZeros(BUFFERS + (long) maxSge * SgeLayout.BYTES - 1);
    }
}
