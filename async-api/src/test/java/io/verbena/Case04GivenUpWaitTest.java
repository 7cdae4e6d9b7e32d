package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.WcStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Case 4: who no longer waits for an operation gets no memory back that the NIC may still write into. */
class Case04GivenUpWaitTest {
    @EveryLink
    void memoryOfAnOperationWithoutAnswerIsKeptUntilItIsFlushed(String link) {
        try (MemoryFixture fixture = new MemoryFixture(link)) {
            LocalMemory memory = fixture.pool.allocate(512);
            long address = memory.address();
            long loan = memory.acquire(true, true, "READ");
            // The peer can't answer any more, so only the transport's retries end this.
            fixture.peer.qp.modify(QueuePairAttributes.toState(QueuePairState.RESET));
            fixture.readIntoOwn(memory);
            memory.close();
            List<LocalMemory> others = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                others.add(fixture.pool.allocate(512));
                assertNotEquals(address, others.getLast().address());
            }
            fixture.owner.qp.modify(QueuePairAttributes.toState(QueuePairState.ERR));
            assertNotEquals(WcStatus.SUCCESS, fixture.next(fixture.owner));
            memory.loans().release(loan);
            assertEquals(address, fixture.pool.allocate(512).address());
        }
    }

    /** The same by an operation that has a deadline, which its result does not outlive but its memory does. */
    @EveryLink
    void memoryIsKeptAfterTheDeadlineUntilItIsQuiesced(String link) {
        ConnectionConfig patient = ConnectionConfig.DEFAULT.withTransport(
                TransportConfig.DEFAULT.withAckTimeout(Duration.ofSeconds(4)));
        try (Ends ends = Ends.open(link, patient)) {
            RemoteMemory remote = ends.rightMemory(512).expose(Ends.REMOTE).remote();
            ends.right.core.queuePair.modify(QueuePairAttributes.toState(QueuePairState.RESET));
            LocalMemory memory = ends.leftMemory(512);
            long address = memory.address();
            OperationOptions hasty = OperationOptions.DEFAULT.withDeadline(Duration.ofMillis(5));
            RdmaFuture<Void> read = ends.left.read(memory, remote, hasty);
            assertInstanceOf(DeadlineExceededException.class, ends.failure(read));
            memory.close();
            for (int i = 0; i < 100; i++) {
                assertNotEquals(address, ends.leftMemory(512).address());
            }
            read.abort();
            ends.await(read.quiesced());
            assertEquals(address, ends.leftMemory(512).address());
        }
    }
}
