package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Access;
import io.verbena.verbs.WcStatus;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Case 12: the key of the owner opens nothing to a peer. */
class Case12KeysTest {
    @ParameterizedTest
    @MethodSource("io.verbena.TestDevices#all")
    void theOwnersKeyIsNoKeyForPeers(String device) {
        try (MemoryFixture fixture = new MemoryFixture(device)) {
            LocalMemory memory = fixture.pool.allocate(64);
            MemoryLease lease = memory.expose(Access.REMOTE_WRITE);
            assertNotEquals(memory.lkey(), lease.remote().rkey());
            assertEquals(WcStatus.SUCCESS, fixture.write(lease.remote(), 1));
            assertEquals(WcStatus.REM_ACCESS_ERR, fixture.write(memory.address(), memory.lkey(), 64, 2));
            assertTrue(MemoryFixture.holds(memory.readable(), 1));
        }
    }
}
