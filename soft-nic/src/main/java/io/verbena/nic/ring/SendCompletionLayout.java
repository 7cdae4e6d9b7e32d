package io.verbena.nic.ring;

/**
 * One completion of a send queue: 32 bytes.
 *
 * <pre>
 *   0 turn      index of this entry + 1, written last (release)
 *   8 wrId
 *  16 detail    see {@link Detail}
 *  24 sequence  of the work request in its send queue
 * </pre>
 */
final class SendCompletionLayout {
    static final int SHIFT = 5;
    static final int TURN = 0;
    static final int WR_ID = 8;
    static final int DETAIL = 16;
    static final int SEQUENCE = 24;

    private SendCompletionLayout() {}
}
