package io.verbena.nic.ring;

import io.verbena.nic.memory.OffHeap;

/**
 * A send work queue entry: written once by the poster, read by whoever executes it.
 *
 * <pre>
 *   0 turn         sequence of this entry + 1, written last (release)
 *   8 wrId
 *  16 opcode       code of an Opcode
 *  20 flags        bits of SendFlags
 *  24 remote address
 *  32 compare or add
 *  40 swap
 *  48 rkey
 *  52 imm
 *  56 count        number of buffers; -1 when the bytes are in the entry itself
 *  60 inline length, or the lkey of the region that a BIND_MW binds to
 *  64 buffers (see {@link SgeLayout}) or inline bytes
 * </pre>
 */
public final class SendWqe {
    /** The count that says the bytes are in the entry itself. */
    public static final int INLINE = -1;

    static final int TURN = 0;
    private static final int WR_ID = 8;
    private static final int OPCODE = 16;
    private static final int FLAGS = 20;
    private static final int REMOTE = 24;
    private static final int COMPARE_ADD = 32;
    private static final int SWAP = 40;
    private static final int RKEY = 48;
    private static final int IMM = 52;
    private static final int COUNT = 56;
    private static final int INLINE_LENGTH = 60;
    private static final int BUFFERS = 64;
    private static final int ALIGNMENT = 64;

    private SendWqe() {}

    /** Bytes before the buffers. */
    public static final int HEADER_BYTES = 64;

    static int bytes(int maxSge, int maxInline) {
        int body = Math.max(maxSge * SgeLayout.BYTES, maxInline);
        return (BUFFERS + body + ALIGNMENT - 1) & -ALIGNMENT;
    }

    /** Writes what every request has. */
    public static void request(long wqe, long wrId, int opcode, int flags) {
        OffHeap.putLong(wqe + WR_ID, wrId);
        OffHeap.putInt(wqe + OPCODE, opcode);
        OffHeap.putInt(wqe + FLAGS, flags);
    }

    /** Writes the peer's memory. */
    public static void remote(long wqe, long remoteAddress, int rkey) {
        OffHeap.putLong(wqe + REMOTE, remoteAddress);
        OffHeap.putInt(wqe + RKEY, rkey);
    }

    /** Writes the operands of an atomic. */
    public static void operands(long wqe, long compareAdd, long swap) {
        OffHeap.putLong(wqe + COMPARE_ADD, compareAdd);
        OffHeap.putLong(wqe + SWAP, swap);
    }

    /** Writes the immediate value. */
    public static void imm(long wqe, int imm) {
        OffHeap.putInt(wqe + IMM, imm);
    }

    /** Writes the only buffer. */
    public static void buffer(long wqe, long address, long length, int lkey) {
        OffHeap.putInt(wqe + COUNT, 1);
        SgeLayout.put(wqe + BUFFERS, address, length, lkey);
    }

    /** Writes the number of buffers, or {@link #INLINE}. */
    public static void count(long wqe, int count) {
        OffHeap.putInt(wqe + COUNT, count);
    }

    /** Writes the number of inline bytes. */
    public static void inlineLength(long wqe, int length) {
        OffHeap.putInt(wqe + INLINE_LENGTH, length);
    }

    /**
     * Writes what a BIND_MW binds; the window's slot, the length and the access lie where other requests have swap,
     * compare or add, and imm.
     */
    public static void bind(long wqe, long window, int lkey, long length, int access) {
        operands(wqe, length, window);
        imm(wqe, access);
        count(wqe, 0);
        OffHeap.putInt(wqe + INLINE_LENGTH, lkey);
    }

    /** The lkey of the region that a BIND_MW binds to. */
    public static int bindKey(long wqe) {
        return OffHeap.getInt(wqe + INLINE_LENGTH);
    }

    /** The slot of the window that a BIND_MW binds; 0 for none. */
    public static long window(long wqe) {
        return swap(wqe);
    }

    /** The request's id. */
    public static long wrId(long wqe) {
        return OffHeap.getLong(wqe + WR_ID);
    }

    /** The code of the request's Opcode. */
    public static int opcode(long wqe) {
        return OffHeap.getInt(wqe + OPCODE);
    }

    /** The request's SendFlags. */
    public static int flags(long wqe) {
        return OffHeap.getInt(wqe + FLAGS);
    }

    /** The first byte at the peer. */
    public static long remoteAddress(long wqe) {
        return OffHeap.getLong(wqe + REMOTE);
    }

    /** The peer's key. */
    public static int rkey(long wqe) {
        return OffHeap.getInt(wqe + RKEY);
    }

    /** The compare operand or the addend. */
    public static long compareAdd(long wqe) {
        return OffHeap.getLong(wqe + COMPARE_ADD);
    }

    /** Where the two operands of an atomic are, one behind the other. */
    public static long operands(long wqe) {
        return wqe + COMPARE_ADD;
    }

    /** The swap operand. */
    public static long swap(long wqe) {
        return OffHeap.getLong(wqe + SWAP);
    }

    /** The immediate value. */
    public static int imm(long wqe) {
        return OffHeap.getInt(wqe + IMM);
    }

    /** The number of buffers, or {@link #INLINE}. */
    public static int count(long wqe) {
        return OffHeap.getInt(wqe + COUNT);
    }

    /** The number of inline bytes. */
    public static int inlineLength(long wqe) {
        return OffHeap.getInt(wqe + INLINE_LENGTH);
    }

    /** Where a buffer's entry is; for {@link #INLINE} the first inline byte is at index 0. */
    public static long buffer(long wqe, int index) {
        return wqe + BUFFERS + (long) index * SgeLayout.BYTES;
    }
}
