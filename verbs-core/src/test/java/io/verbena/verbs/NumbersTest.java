package io.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Field;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The numbers and wordings that libibverbs and the InfiniBand specification fix, typed out. */
@Timeout(10)
class NumbersTest {
    private static Map<Integer, String> table(String text) {
        Map<Integer, String> table = new TreeMap<>();
        for (String pair : text.strip().split(",\\s*")) {
            String[] words = pair.strip().split(" ", 2);
            table.put(Integer.parseInt(words[1]), words[0]);
        }
        return table;
    }

    @Test
    void sendOpcodes() {
        Map<Integer, String> expected = table("""
                RDMA_WRITE 0, RDMA_WRITE_WITH_IMM 1, SEND 2, SEND_WITH_IMM 3, RDMA_READ 4, ATOMIC_CMP_AND_SWP 5,
                ATOMIC_FETCH_AND_ADD 6, LOCAL_INV 7, BIND_MW 8, SEND_WITH_INV 9, FLUSH 14, ATOMIC_WRITE 15""");
        assertEquals(expected.size(), Opcode.values().length);
        for (int code = -2; code < 20; code++) {
            Opcode opcode = Opcode.ofCode(code);
            assertEquals(expected.get(code), opcode == null ? null : opcode.name());
            assertTrue(opcode == null || opcode.code() == code);
        }
    }

    @Test
    void completionOpcodes() {
        Map<Integer, String> expected = table("""
                SEND 0, RDMA_WRITE 1, RDMA_READ 2, COMP_SWAP 3, FETCH_ADD 4, BIND_MW 5, LOCAL_INV 6, FLUSH 8,
                ATOMIC_WRITE 9, RECV 128, RECV_RDMA_WITH_IMM 129""");
        assertEquals(expected.size(), WcOpcode.values().length);
        for (int code = -2; code < 260; code++) {
            WcOpcode opcode = WcOpcode.ofCode(code);
            assertEquals(expected.get(code), opcode == null ? null : opcode.name());
            assertTrue(opcode == null || opcode.code() == code && opcode.isReceive() == code >= 128);
        }
    }

    @Test
    void completionStatuses() {
        Map<Integer, String> expected = table("""
                SUCCESS 0, LOC_LEN_ERR 1, LOC_QP_OP_ERR 2, LOC_EEC_OP_ERR 3, LOC_PROT_ERR 4, WR_FLUSH_ERR 5,
                MW_BIND_ERR 6, BAD_RESP_ERR 7, LOC_ACCESS_ERR 8, REM_INV_REQ_ERR 9, REM_ACCESS_ERR 10, REM_OP_ERR 11,
                RETRY_EXC_ERR 12, RNR_RETRY_EXC_ERR 13, LOC_RDD_VIOL_ERR 14, REM_INV_RD_REQ_ERR 15, REM_ABORT_ERR 16,
                INV_EECN_ERR 17, INV_EEC_STATE_ERR 18, FATAL_ERR 19, RESP_TIMEOUT_ERR 20, GENERAL_ERR 21, TM_ERR 22,
                TM_RNDV_INCOMPLETE 23""");
        assertEquals(24, WcStatus.values().length);
        for (int code = -2; code < 30; code++) {
            WcStatus status = WcStatus.ofCode(code);
            assertEquals(expected.get(code), status == null ? null : status.name());
            assertTrue(status == null || status.code() == code && !status.advice().isBlank());
        }
    }

    @Test
    void completionStatusTexts() {
        Map<Integer, String> expected = Map.ofEntries(
                Map.entry(0, "success"), Map.entry(1, "local length error"),
                Map.entry(2, "local QP operation error"), Map.entry(3, "local EE context operation error"),
                Map.entry(4, "local protection error"), Map.entry(5, "Work Request Flushed Error"),
                Map.entry(6, "memory management operation error"), Map.entry(7, "bad response error"),
                Map.entry(8, "local access error"), Map.entry(9, "remote invalid request error"),
                Map.entry(10, "remote access error"), Map.entry(11, "remote operation error"),
                Map.entry(12, "transport retry counter exceeded"), Map.entry(13, "RNR retry counter exceeded"),
                Map.entry(16, "aborted error"), Map.entry(19, "fatal error"),
                Map.entry(20, "response timeout error"), Map.entry(21, "general error"));
        expected.forEach((code, text) -> assertEquals(text, WcStatus.ofCode(code).text()));
    }

    @Test
    void receiverNotReadyTimers() {
        double[] millis = {
            655.36, .01, .02, .03, .04, .06, .08, .12, .16, .24, .32, .48, .64, .96, 1.28, 1.92, 2.56, 3.84, 5.12, 7.68,
            10.24, 15.36, 20.48, 30.72, 40.96, 61.44, 81.92, 122.88, 163.84, 245.76, 327.68, 491.52
        };
        for (int code = 0; code < millis.length; code++) {
            assertEquals(Math.round(millis[code] * 1e6), RnrTimer.nanos(code), "code " + code);
        }
    }

    @Test
    void acknowledgeTimeouts() {
        assertEquals(8_192, RnrTimer.ackTimeoutNanos(1));
        assertEquals(67_108_864, RnrTimer.ackTimeoutNanos(14));
        assertEquals(1_073_741_824, RnrTimer.ackTimeoutNanos(18));
        assertEquals(8_796_093_022_208L, RnrTimer.ackTimeoutNanos(31));
    }

    @Test
    void everyPostStatusHasItsOwnTextAndAnErrno() throws IllegalAccessException {
        Set<String> texts = new HashSet<>();
        Set<Integer> codes = new HashSet<>();
        for (Field field : PostStatus.class.getFields()) {
            int status = field.getInt(null);
            assertTrue(codes.add(status), field.getName());
            String text = PostStatus.describe(status);
            assertFalse(text.isBlank() || text.startsWith("unknown status"), field.getName());
            assertTrue(texts.add(text), field.getName());
            if (status == PostStatus.OK) {
                assertNull(PostStatus.errno(status));
            } else {
                assertTrue(status < 0, field.getName());
                assertNotEquals(null, PostStatus.errno(status), field.getName());
            }
        }
        int unused = -codes.size();
        assertEquals("unknown status " + unused, PostStatus.describe(unused), "codes are consecutive");
        for (int unknown : new int[] {unused, 1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
            assertEquals("unknown status " + unknown, PostStatus.describe(unknown));
            assertNull(PostStatus.errno(unknown));
        }
    }

    @Test
    void postStatusTextsBelongToTheirCodes() {
        assertEquals(Errno.ENOMEM, PostStatus.errno(PostStatus.QUEUE_FULL));
        assertTrue(PostStatus.describe(PostStatus.QUEUE_FULL).startsWith("queue full"));
        assertTrue(PostStatus.describe(PostStatus.WRONG_STATE).startsWith("wrong state"));
        assertTrue(PostStatus.describe(PostStatus.TOO_MANY_SGES).startsWith("too many scatter/gather"));
        assertTrue(PostStatus.describe(PostStatus.INLINE_TOO_LONG).startsWith("inline data too long"));
        assertTrue(PostStatus.describe(PostStatus.BAD_OPCODE).startsWith("opcode"));
        assertTrue(PostStatus.describe(PostStatus.BAD_LENGTH).startsWith("bad length"));
        assertTrue(PostStatus.describe(PostStatus.ATOMIC_MISALIGNED).startsWith("atomic misaligned"));
        assertTrue(PostStatus.describe(PostStatus.ATOMIC_LENGTH).startsWith("atomic length"));
        assertTrue(PostStatus.describe(PostStatus.BAD_FLAGS).startsWith("bad flags"));
        assertTrue(PostStatus.describe(PostStatus.INLINE_NOT_REGISTERED).startsWith("inline data not in registered"));
        assertTrue(PostStatus.describe(PostStatus.HAS_SRQ).contains("shared receive queue"));
        assertTrue(PostStatus.describe(PostStatus.CLOSED).startsWith("closed"));
        assertTrue(PostStatus.describe(PostStatus.CQ_ERROR).startsWith("completion queue in error"));
        assertTrue(PostStatus.describe(PostStatus.BAD_ADDRESS_HANDLE).startsWith("address handle"));
        assertTrue(PostStatus.describe(PostStatus.BAD_WINDOW).startsWith("bad memory window"));
        assertTrue(PostStatus.describe(PostStatus.TOO_MANY_SGES).contains("LOCAL_INV take no buffer"));
        assertEquals(Errno.EIO, PostStatus.errno(PostStatus.CQ_ERROR));
        assertEquals(Errno.EFAULT, PostStatus.errno(PostStatus.INLINE_NOT_REGISTERED));
    }
}
