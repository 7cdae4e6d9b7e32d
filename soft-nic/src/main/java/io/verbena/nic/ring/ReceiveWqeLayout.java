package io.verbena.nic.ring;

/**
 * One posted receive; its size is a power of two that depends on the most scatter/gather entries.
 *
 * <pre>
 *   0 turn      index of this entry + 1, written last (release)
 *   8 wrId
 *  16 total     bytes of all buffers together
 *  24 count     number of buffers
 *  28 eager     bytes a sender may deliver in the completion entry: 0 to 64
 *  32 buffers   address 8, length 8, lkey 4, 4 unused; each
 * </pre>
 */
final class ReceiveWqeLayout {
    static final int TURN = 0;
    static final int WR_ID = 8;
    static final int TOTAL = 16;
    static final int COUNT = 24;
    static final int EAGER = 28;
    static final int BUFFERS = 32;

    private ReceiveWqeLayout() {}

    static int shift(int maxSge) {
        return 64 - Long.numberOfLeadingZeros(BUFFERS + (long) maxSge * SgeLayout.BYTES - 1);
    }
}
