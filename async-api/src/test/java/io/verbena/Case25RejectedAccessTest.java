package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Access;
import io.verbena.verbs.WcStatus;

/** Case 25: an access that the owner did not allow in full is refused in full, however its numbers wrap around. */
class Case25RejectedAccessTest {
    @EveryLink
    void anAccessThatLeavesTheRangeTouchesNothing(String link) {
        try (MemoryFixture fixture = new MemoryFixture(link)) {
            LocalMemory memory = fixture.pool.allocate(4_096);
            RemoteMemory remote = memory.slice(1_024, 1_024).expose(Access.REMOTE_WRITE).remote();
            long start = remote.address();
            long[] addresses = {start - 1, start + 1, start + 1_024, start - 1_024, -512, 0, Long.MIN_VALUE + start};
            for (long address : addresses) {
                assertEquals(WcStatus.REM_ACCESS_ERR, fixture.write(address, remote.rkey(), 1_024, 1),
                        "at " + (address - start));
                fixture.connect();
            }
            assertEquals(WcStatus.REM_ACCESS_ERR, fixture.write(start, remote.rkey(), 1_025, 1));
            fixture.connect();
            assertEquals(WcStatus.REM_ACCESS_ERR, fixture.write(start, remote.rkey() + 1, 1_024, 1));
            assertTrue(MemoryFixture.holds(memory.readable(), 0));
            fixture.connect();
            assertEquals(WcStatus.SUCCESS, fixture.write(remote, 1));
            assertTrue(MemoryFixture.holds(memory.slice(0, 1_024).readable(), 0));
            assertTrue(MemoryFixture.holds(memory.slice(1_024, 1_024).readable(), 1));
            assertTrue(MemoryFixture.holds(memory.slice(2_048, 2_048).readable(), 0));
        }
    }
}
