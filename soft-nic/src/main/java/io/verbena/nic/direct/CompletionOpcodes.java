package io.verbena.nic.direct;

import io.verbena.verbs.Opcode;
import io.verbena.verbs.WcOpcode;

/** What the completion of a send says that it was. */
public final class CompletionOpcodes {
    private CompletionOpcodes() {}

    /**
     * The code of the WcOpcode that belongs to the code of an Opcode.
     *
     * @param opcode code of an Opcode
     */
    public static int of(int opcode) {
        return switch (Opcode.ofCode(opcode)) {
            case SEND, SEND_WITH_IMM, SEND_WITH_INV -> WcOpcode.SEND.code();
            case RDMA_WRITE, RDMA_WRITE_WITH_IMM -> WcOpcode.RDMA_WRITE.code();
            case RDMA_READ -> WcOpcode.RDMA_READ.code();
            case ATOMIC_CMP_AND_SWP -> WcOpcode.COMP_SWAP.code();
            case ATOMIC_FETCH_AND_ADD -> WcOpcode.FETCH_ADD.code();
            case LOCAL_INV -> WcOpcode.LOCAL_INV.code();
            case BIND_MW -> WcOpcode.BIND_MW.code();
            case FLUSH -> WcOpcode.FLUSH.code();
            case ATOMIC_WRITE -> WcOpcode.ATOMIC_WRITE.code();
        };
    }
}
