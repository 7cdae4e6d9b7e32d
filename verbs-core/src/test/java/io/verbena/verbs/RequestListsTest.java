package io.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The reusable lists of send and receive work requests. */
@Timeout(10)
class RequestListsTest {
    private static void refuses(Errno errno, Executable call) {
        assertEquals(errno, assertThrows(VerbsException.class, call).errno());
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "-1, 1", "1048577, 0", "1, -1", "1, 1025", "1048576, 65", "2147483647, 1024"})
    void refusesBadSizes(int capacity, int maxSge) {
        refuses(Errno.EINVAL, () -> new SendRequests(capacity, maxSge));
        refuses(Errno.EINVAL, () -> new ReceiveRequests(capacity, maxSge));
    }

    @Test
    void keepsWhatSendRequestsWereGiven() {
        SendRequests requests = new SendRequests(4, 2);
        requests.add(11, Opcode.RDMA_WRITE, 0).sge(100, 10, 1).sge(200, 20, 2).remote(0x7000, 99);
        requests.add(12, Opcode.SEND_WITH_IMM, SendFlags.SIGNALED).imm(-7);
        requests.add(13, Opcode.ATOMIC_CMP_AND_SWP, 0).sge(300, 8, 3).compareAndSwap(5, 6).remote(8, 98);
        requests.add(14, Opcode.ATOMIC_FETCH_AND_ADD, 0).sge(400, 8, 4).fetchAndAdd(-1);
        assertEquals(4, requests.size());
        assertEquals(11, requests.wrId(0));
        assertEquals(Opcode.RDMA_WRITE, requests.opcode(0));
        assertEquals(2, requests.sgeCount(0));
        assertEquals(200, requests.sgeAddress(0, 1));
        assertEquals(20, requests.sgeLength(0, 1));
        assertEquals(2, requests.sgeLkey(0, 1));
        assertEquals(0x7000, requests.remoteAddress(0));
        assertEquals(99, requests.rkey(0));
        assertEquals(SendFlags.SIGNALED, requests.flags(1));
        assertEquals(0, requests.sgeCount(1));
        assertEquals(-7, requests.immediate(1));
        assertEquals(300, requests.sgeAddress(2, 0));
        assertEquals(5, requests.compareAdd(2));
        assertEquals(6, requests.swap(2));
        assertEquals(-1, requests.compareAdd(3));
        assertNull(requests.addressHandle(3));
    }

    @Test
    void aReusedPlaceHasNothingOfTheOldRequest() {
        SendRequests requests = new SendRequests(1, 1);
        requests.add(1, Opcode.SEND_WITH_IMM, 3).sge(1, 2, 3).remote(4, 5).imm(6).compareAndSwap(7, 8).to(null, 9, 10);
        requests.setRefused(0, PostStatus.QUEUE_FULL);
        requests.clear().add(2, Opcode.SEND, 0);
        assertEquals(1, requests.size());
        assertEquals(0, requests.sgeCount(0));
        assertEquals(0, requests.flags(0));
        assertEquals(0, requests.remoteAddress(0) + requests.rkey(0) + requests.immediate(0));
        assertEquals(0, requests.compareAdd(0) + requests.swap(0));
        assertEquals(-1, requests.refusedIndex());
        assertEquals(PostStatus.OK, requests.refusedStatus());
    }

    @Test
    void refusesMoreThanFitsIntoSendRequests() {
        SendRequests requests = new SendRequests(2, 1);
        requests.add(1, Opcode.SEND, 0).sge(1, 1, 1);
        refuses(Errno.ENOMEM, () -> requests.sge(2, 2, 2));
        requests.add(2, Opcode.SEND, 0);
        refuses(Errno.ENOMEM, () -> requests.add(3, Opcode.SEND, 0));
        assertEquals(2, requests.size());
        assertEquals(1, requests.sgeCount(0));
        assertEquals(0, requests.sgeCount(1));
        refuses(Errno.ENOMEM, () -> new SendRequests(1, 0).add(1, Opcode.SEND, 0).sge(1, 1, 1));
    }

    @Test
    void refusesToCompleteARequestThatWasNotStarted() {
        SendRequests requests = new SendRequests(2, 1);
        refuses(Errno.EINVAL, () -> requests.sge(1, 1, 1));
        refuses(Errno.EINVAL, () -> requests.remote(1, 1));
        refuses(Errno.EINVAL, () -> requests.imm(1));
        refuses(Errno.EINVAL, () -> requests.fetchAndAdd(1));
        refuses(Errno.EINVAL, () -> requests.compareAndSwap(1, 1));
        refuses(Errno.EINVAL, () -> requests.to(null, 1, 1));
        refuses(Errno.EINVAL, () -> requests.add(1, null, 0));
        assertEquals(0, requests.size());
        refuses(Errno.EINVAL, () -> new ReceiveRequests(1, 1).sge(1, 1, 1));
    }

    @Test
    void receiveRequestsKeepOrderAndBounds() {
        ReceiveRequests requests = new ReceiveRequests(2, 2);
        requests.add(1).sge(10, 11, 12).sge(20, 21, 22);
        refuses(Errno.ENOMEM, () -> requests.sge(30, 31, 32));
        requests.add(2);
        refuses(Errno.ENOMEM, () -> requests.add(3));
        assertEquals(2, requests.size());
        assertEquals(2, requests.wrId(1));
        assertEquals(2, requests.sgeCount(0));
        assertEquals(0, requests.sgeCount(1));
        assertEquals(20, requests.sgeAddress(0, 1));
        assertEquals(21, requests.sgeLength(0, 1));
        assertEquals(22, requests.sgeLkey(0, 1));
        assertEquals(PostStatus.WRONG_STATE, requests.setRefused(1, PostStatus.WRONG_STATE));
        assertEquals(1, requests.refusedIndex());
        assertEquals(PostStatus.WRONG_STATE, requests.refusedStatus());
        assertEquals(0, requests.clear().size());
        assertEquals(-1, requests.refusedIndex());
    }
}
