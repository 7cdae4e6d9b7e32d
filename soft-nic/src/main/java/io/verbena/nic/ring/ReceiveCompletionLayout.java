package io.verbena.nic.ring;

/**
 * One completion of a receive queue, written by the peer that executed the send: two cache lines. A small message
 * travels in the entry itself, so that one transfer (up to 32 bytes) or two (up to 64) carry message and notice.
 *
 * <pre>
 *   0 turn     index of this entry + 1, written last (release)
 *   8 detail   see {@link Detail}
 *  16 imm      immediate value
 *  20 inline   where the payload is: 0 in the receive's buffers, 1 at 32, 2 at 64
 *  32 payload of up to 32 bytes
 *  64 payload of up to 64 bytes
 * </pre>
 */
final class ReceiveCompletionLayout {
    static final int SHIFT = 7;
    static final int TURN = 0;
    static final int DETAIL = 8;
    static final int IMM = 16;
    static final int INLINE = 20;
    static final int FIRST_LINE_PAYLOAD = 32;
    static final int FIRST_LINE_BYTES = 32;
    static final int SECOND_LINE_PAYLOAD = 64;
    static final int SECOND_LINE_BYTES = 64;

    private ReceiveCompletionLayout() {}
}
