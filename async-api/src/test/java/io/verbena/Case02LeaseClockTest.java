package io.verbena;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Access;
import java.nio.ByteBuffer;
import java.time.Duration;

/** Case 2: leases are durations on each side's own monotonic clock, and the holder's never ends later. */
class Case02LeaseClockTest {
    @EveryLink
    void whatTheHolderCountsBeginsWithItsRequest(String link) {
        try (MemoryFixture fixture = new MemoryFixture(link)) {
            LocalMemory memory = fixture.pool.allocate(64);
            long requested = System.nanoTime();
            MemoryLease lease = memory.expose(Access.REMOTE_READ, Duration.ofSeconds(60));
            byte[] token = lease.remote().toBytes();
            RemoteMemory holder = RemoteMemory.of(token, requested);
            assertTrue(holder.deadline() <= lease.remote().deadline());
            RemoteMemory slow = RemoteMemory.of(token, requested - Duration.ofSeconds(59).toNanos());
            assertTrue(slow.remaining().compareTo(Duration.ofSeconds(1)) <= 0, () -> slow.remaining().toString());
            assertTrue(RemoteMemory.of(token, requested - Duration.ofHours(3).toNanos()).isExpired());
        }
    }

    @EveryLink
    void tokensHoldNoTimeOfDay(String link) {
        try (MemoryFixture fixture = new MemoryFixture(link)) {
            LocalMemory memory = fixture.pool.allocate(64);
            Duration lasts = Duration.ofMinutes(10);
            byte[] token = memory.expose(Access.REMOTE_READ, lasts).remote().toBytes();
            long left = ByteBuffer.wrap(token).getLong(token.length - Long.BYTES);
            assertTrue(left <= lasts.toNanos() && left > lasts.toNanos() / 2, () -> left + " ns");
        }
    }
}
