package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.WcStatus;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Case 4: who no longer waits for an operation gets no memory back that the NIC may still write into. */
class Case04GivenUpWaitTest {
    @ParameterizedTest
    @MethodSource("io.verbena.TestDevices#all")
    void memoryOfAnOperationWithoutAnswerIsKeptUntilItIsFlushed(String device) {
        try (MemoryFixture fixture = new MemoryFixture(device)) {
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
}
