package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Access;
import io.verbena.verbs.WcStatus;

/** Case 12: the key of the owner opens nothing to a peer. */
class Case12KeysTest {
    @EveryLink
    void theOwnersKeyIsNoKeyForPeers(String link) {
        try (MemoryFixture fixture = new MemoryFixture(link)) {
            LocalMemory memory = fixture.pool.allocate(64);
            MemoryLease lease = memory.expose(Access.REMOTE_WRITE);
            assertNotEquals(memory.lkey(), lease.remote().rkey());
            assertEquals(WcStatus.SUCCESS, fixture.write(lease.remote(), 1));
            assertEquals(WcStatus.REM_ACCESS_ERR, fixture.write(memory.address(), memory.lkey(), 64, 2));
            assertTrue(MemoryFixture.holds(memory.readable(), 1));
        }
    }
}
