package io.verbena;

import io.verbena.verbs.WcFlags;
import io.verbena.verbs.WcOpcode;
import io.verbena.verbs.WorkCompletion;

/** What a completion said about a receive, copied out of it, since a callback may poll. One for each connection. */
final class Receipt {
    long wrId;
    int status;
    int vendorErr;
    long bytes;
    int imm;
    boolean hasImm;
    boolean isWrite;

    Receipt fill(WorkCompletion completion) {
        wrId = completion.wrId();
        status = completion.statusCode();
        vendorErr = completion.vendorErr();
        bytes = status == 0 ? completion.byteLen() : 0;
        hasImm = status == 0 && (completion.flags() & WcFlags.WITH_IMM) != 0;
        imm = hasImm ? completion.imm() : 0;
        isWrite = status == 0 && completion.opcodeCode() == WcOpcode.RECV_RDMA_WITH_IMM.code();
        return this;
    }
}
