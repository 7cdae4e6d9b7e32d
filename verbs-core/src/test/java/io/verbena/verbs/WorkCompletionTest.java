package io.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a completion tells as text: everything that is valid, and nothing else. */
@Timeout(10)
class WorkCompletionTest {
    private final WorkCompletion completion = new WorkCompletion();

    private String text(WcOpcode opcode, int flags, int value, int srcQp) {
        completion.setOutcome(7, 0x12, 0, 0);
        completion.setDetail(opcode.code(), 64, flags, value, srcQp);
        return completion.toString();
    }

    @Test
    void whatEverySuccessHas() {
        assertEquals("wrId=7 qp=0x000012 SUCCESS RDMA_WRITE byteLen=64", text(WcOpcode.RDMA_WRITE, 0, 5, 6));
    }

    @Test
    void theImmediateValue() {
        assertEquals("wrId=7 qp=0x000012 SUCCESS RECV byteLen=64 imm=0xcafe",
                text(WcOpcode.RECV, WcFlags.WITH_IMM, 0xCAFE, 0));
    }

    @Test
    void theInvalidatedKey() {
        assertEquals("wrId=7 qp=0x000012 SUCCESS RECV byteLen=64 invalidatedRkey=0x00abcd12",
                text(WcOpcode.RECV, WcFlags.WITH_INV, 0xABCD12, 0));
    }

    @Test
    void theSenderOfADatagram() {
        assertEquals("wrId=7 qp=0x000012 SUCCESS RECV byteLen=64 srcQp=0x000034 GRH",
                text(WcOpcode.RECV, WcFlags.GRH, 0, 0x34));
        assertEquals("wrId=7 qp=0x000012 SUCCESS RECV byteLen=64 imm=0x1 srcQp=0x000034 GRH",
                text(WcOpcode.RECV, WcFlags.GRH | WcFlags.WITH_IMM, 1, 0x34));
    }

    @Test
    void aFailureTellsItsReasonOnly() {
        completion.setDetail(WcOpcode.RECV.code(), 64, WcFlags.GRH | WcFlags.WITH_INV, 9, 0x34);
        completion.setOutcome(7, 0x12, WcStatus.WR_FLUSH_ERR.code(), 3);
        assertEquals("wrId=7 qp=0x000012 WR_FLUSH_ERR (" + WcStatus.WR_FLUSH_ERR.text() + ": "
                + WcStatus.WR_FLUSH_ERR.advice() + ") vendorErr=3", completion.toString());
    }
}
