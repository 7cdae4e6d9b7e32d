package io.verbena.rc;

import io.verbena.verbs.WcFlags;
import io.verbena.verbs.WcOpcode;

/**
 * What a completed receive reports. One object for each connection, valid during {@link CompletionSink#receiveEnded}.
 */
public final class Delivery {
    private int opcode;
    private long bytes;
    private int flags;
    private int imm;
    private boolean solicited;
    private int sourceQp;

    Delivery() {}

    void message(long length) {
        opcode = WcOpcode.RECV.code();
        bytes = length;
        flags = 0;
        imm = 0;
        solicited = false;
        sourceQp = 0;
    }

    void write(long length) {
        message(length);
        opcode = WcOpcode.RECV_RDMA_WITH_IMM.code();
    }

    void withImm(int value) {
        flags |= WcFlags.WITH_IMM;
        imm = value;
    }

    void withInvalidate(int rkey) {
        flags |= WcFlags.WITH_INV;
        imm = rkey;
    }

    void withHeader(int newSourceQp) {
        flags |= WcFlags.GRH;
        sourceQp = newSourceQp;
    }

    void solicited(boolean on) {
        solicited = on;
    }

    /** Code of {@link WcOpcode}: RECV or RECV_RDMA_WITH_IMM. */
    public int opcode() {
        return opcode;
    }

    /** Bytes that arrived; of a datagram with the 40 bytes of its header. */
    public long bytes() {
        return bytes;
    }

    /** Bits of {@link WcFlags}. */
    public int flags() {
        return flags;
    }

    /** The immediate value, or the key that was invalidated. */
    public int imm() {
        return imm;
    }

    /** Whether who waits for solicited completions is to be woken. */
    public boolean isSolicited() {
        return solicited;
    }

    /** The queue pair a datagram came from. */
    public int sourceQp() {
        return sourceQp;
    }
}
