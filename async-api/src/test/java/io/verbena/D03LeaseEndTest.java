package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Access;
import io.verbena.verbs.WcStatus;
import java.time.Duration;

/** D3: the end of a lease takes the key away, so that nothing reaches memory that is used anew. */
class D03LeaseEndTest {
    @EveryLink
    void aWriteAfterTheLeaseTouchesNothing(String link) {
        try (MemoryFixture fixture = new MemoryFixture(link)) {
            LocalMemory memory = fixture.pool.allocate(128);
            MemoryLease lease = memory.expose(Access.REMOTE_WRITE, Duration.ofMillis(300));
            RemoteMemory remote = RemoteMemory.of(lease.remote().toBytes());
            assertEquals(WcStatus.SUCCESS, fixture.write(remote, 1));
            Waiting.until("the lease ends", () -> !lease.isActive());
            Waiting.until("the peer knows by its own clock", remote::isExpired);
            assertEquals(WcStatus.REM_ACCESS_ERR, fixture.write(remote, 2));
            assertTrue(MemoryFixture.holds(memory.readable(), 1));
        }
    }
}
