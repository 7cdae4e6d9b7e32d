package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Access;
import io.verbena.verbs.WcStatus;

/** D2: what is exposed of a slab is the range that was meant, and nothing beside it. */
class D02NeighboursTest {
    @EveryLink
    void theRestOfTheSlabIsOutOfReach(String link) {
        try (MemoryFixture fixture = new MemoryFixture(link)) {
            LocalMemory before = fixture.pool.allocate(64);
            LocalMemory exposed = fixture.pool.allocate(64);
            LocalMemory after = fixture.pool.allocate(64);
            RemoteMemory remote = exposed.expose(Access.REMOTE_READ | Access.REMOTE_WRITE).remote();
            for (LocalMemory neighbour : new LocalMemory[] {before, after}) {
                assertEquals(WcStatus.REM_ACCESS_ERR, fixture.write(neighbour.address(), remote.rkey(), 64, 1));
                fixture.connect();
                assertTrue(MemoryFixture.holds(neighbour.readable(), 0));
            }
            assertEquals(WcStatus.REM_ACCESS_ERR, fixture.write(remote.address(), remote.rkey(), 65, 1));
            assertTrue(MemoryFixture.holds(exposed.readable(), 0));
        }
    }
}
