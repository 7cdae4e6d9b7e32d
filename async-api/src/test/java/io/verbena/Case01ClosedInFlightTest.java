package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.WcStatus;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Case 1: memory that its user gives up in the middle of an operation stays taken until the completion. */
class Case01ClosedInFlightTest {
    @ParameterizedTest
    @MethodSource("io.verbena.TestDevices#all")
    void memoryGivenUpInFlightIsNobodyElsesBeforeTheCompletion(String device) {
        try (MemoryFixture fixture = new MemoryFixture(device)) {
            fixture.peerBytes().fill((byte) 9);
            LocalMemory memory = fixture.pool.allocate(4_096);
            long address = memory.address();
            long loan = memory.acquire(true, true, "READ");
            fixture.readIntoOwn(memory);
            memory.close();
            LocalMemory other = fixture.pool.allocate(4_096);
            assertNotEquals(address, other.address());
            assertEquals(2, fixture.pool.statistics().usedBlocks());
            assertEquals(WcStatus.SUCCESS, fixture.next(fixture.owner));
            memory.loans().release(loan);
            assertEquals(1, fixture.pool.statistics().usedBlocks());
            assertTrue(MemoryFixture.holds(other.readable(), 0));
            assertEquals(address, fixture.pool.allocate(4_096).address());
        }
    }
}
