package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Access;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WcStatus;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Exposures: how they begin, how they end. */
class MemoryLeaseTest {
    private static final Duration MOMENT = Duration.ofMillis(50);
    private static final Duration LONG = Duration.ofHours(1);
    private static final int WRITE = Access.REMOTE_WRITE;

    private final MemoryFixture fixture = new MemoryFixture("soft");
    private final LocalMemory memory = fixture.pool.allocate(64);

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void aLeaseEndsByItselfThoughNobodyPolls() {
        MemoryLease lease = memory.expose(WRITE, MOMENT);
        RemoteMemory remote = lease.remote();
        assertEquals(WcStatus.SUCCESS, fixture.write(remote, 3));
        Waiting.until("the lease ends", () -> !lease.isActive());
        assertTrue(remote.isExpired());
        assertEquals(Duration.ZERO, lease.remaining());
        assertEquals(WcStatus.REM_ACCESS_ERR, fixture.write(remote, 4));
        assertTrue(MemoryFixture.holds(memory.readable(), 3));
        assertFalse(lease.renew(LONG));
        Waiting.until("nothing is held", () -> memory.inUse() == 0 && fixture.pool.leases() == 0);
    }

    @Test
    void renewingMakesItLongerAndShorter() {
        MemoryLease lease = memory.expose(WRITE, MOMENT);
        assertTrue(lease.renew(LONG));
        MemoryLease other = memory.expose(WRITE, MOMENT);
        Waiting.until("the other one ends", () -> !other.isActive());
        assertTrue(lease.isActive());
        assertTrue(lease.remaining().compareTo(MOMENT) > 0);
        assertTrue(lease.renew(MOMENT));
        Waiting.until("the lease ends", () -> !lease.isActive());
    }

    @Test
    void aRenewedLeaseEndsByItselfToo() {
        MemoryLease lease = memory.expose(WRITE, MOMENT);
        assertTrue(lease.renew(MOMENT.multipliedBy(3)));
        Waiting.until("the lease ends", () -> !lease.isActive());
        assertEquals(Duration.ZERO, RemoteMemory.of(lease.remote().toBytes()).remaining());
    }

    @Test
    void manyRenewalsThenTheEnd() {
        MemoryLease lease = memory.expose(WRITE, LONG);
        for (int i = 0; i < 100_000; i++) {
            assertTrue(lease.renew(LONG.plusNanos(i)));
        }
        assertTrue(lease.renew(MOMENT));
        Waiting.until("the lease ends", () -> !lease.isActive());
    }

    @Test
    void anExposureWithoutDurationLastsUntilItIsClosed() {
        MemoryLease lease = memory.expose(WRITE);
        assertEquals(Duration.ofNanos(Long.MAX_VALUE), lease.remaining());
        assertEquals(1, fixture.pool.leases());
        assertEquals(WcStatus.SUCCESS, fixture.write(lease.remote(), 1));
        lease.close();
        lease.close();
        assertEquals(0, fixture.pool.leases());
        assertEquals(WcStatus.REM_ACCESS_ERR, fixture.write(lease.remote(), 2));
        assertTrue(MemoryFixture.holds(memory.readable(), 1));
    }

    @Test
    void closingMemoryRevokesWhatWasExposedOfIt() {
        List<MemoryLease> leases = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            leases.add(memory.slice(i * 8, 8).expose(WRITE, LONG));
        }
        leases.remove(3).close();
        memory.close();
        assertEquals(0, fixture.pool.leases());
        assertEquals(0, fixture.pool.statistics().usedBlocks());
        for (MemoryLease lease : leases) {
            assertFalse(lease.isActive());
        }
        assertEquals(WcStatus.REM_ACCESS_ERR, fixture.write(leases.getFirst().remote(), 2));
    }

    @Test
    void onlyTheRightsGivenAreGiven() {
        assertThrows(IllegalArgumentException.class, () -> memory.expose(0));
        assertThrows(IllegalArgumentException.class, () -> memory.expose(Access.LOCAL_WRITE));
        assertThrows(IllegalArgumentException.class, () -> memory.expose(WRITE, Duration.ZERO));
        assertThrows(IllegalArgumentException.class, () -> memory.expose(WRITE, null));
        assertThrows(IllegalArgumentException.class, () -> memory.slice(0, 0).expose(WRITE));
        LocalMemory closedToWrites = fixture.pool.allocate(64,
                AllocationOptions.DEFAULT.withAccess(Access.LOCAL_WRITE | Access.REMOTE_READ));
        assertThrows(IllegalArgumentException.class, () -> closedToWrites.expose(WRITE));
        RemoteMemory remote = closedToWrites.expose(Access.REMOTE_READ).remote();
        assertEquals(WcStatus.SUCCESS, fixture.read(remote));
        assertEquals(WcStatus.REM_ACCESS_ERR, fixture.write(remote, 1));
        assertTrue(MemoryFixture.holds(closedToWrites.readable(), 0));
    }

    @Test
    void whatTheDeviceRefusesHoldsNothing() {
        Arena arena = Arena.ofShared();
        LocalMemory registered = fixture.pool.register(arena.allocate(64));
        arena.close();
        assertThrows(VerbsException.class, () -> registered.expose(WRITE));
        assertEquals(0, registered.inUse());
        registered.close();
        assertEquals(0, fixture.pool.registrations());
    }

    @Test
    void theThreadThatEndsLeasesEndsWithItsNode() {
        try (MemoryFixture other = new MemoryFixture("soft")) {
            long before = housekeepers();
            other.pool.allocate(64).expose(WRITE, LONG);
            Waiting.until("somebody looks after the lease", () -> housekeepers() > before);
        }
        Waiting.until("nobody is left", () -> housekeepers() == 0);
    }

    private static long housekeepers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("verbena-housekeeper")).count();
    }

    @Test
    void everyExposureHasAKeyOfItsOwn() {
        MemoryLease first = memory.expose(WRITE);
        MemoryLease second = memory.expose(WRITE);
        assertNotEquals(first.remote().rkey(), second.remote().rkey());
        first.close();
        assertEquals(WcStatus.SUCCESS, fixture.write(second.remote(), 9));
    }

    @Test
    void exposingBesideClosingLeavesNothing() throws Exception {
        AtomicInteger ends = new AtomicInteger();
        AtomicInteger begun = new AtomicInteger();
        try (var threads = Executors.newFixedThreadPool(3)) {
            for (int round = 0; round < 300; round++) {
                LocalMemory each = fixture.pool.allocate(64);
                Callable<Void> expose = () -> {
                    try {
                        while (true) {
                            MemoryLease lease = each.expose(WRITE, null, 1, ends::incrementAndGet);
                            begun.incrementAndGet();
                            if (begun.get() % 2 == 0) {
                                lease.close();
                            }
                        }
                    } catch (IllegalStateException closed) {
                        return null;
                    }
                };
                Callable<Void> close = () -> {
                    Waiting.until("something is exposed", () -> each.inUse() > 0);
                    each.close();
                    return null;
                };
                for (var result : threads.invokeAll(List.of(expose, close, expose))) {
                    result.get();
                }
                assertEquals(begun.get(), ends.get());
            }
        }
        assertEquals(0, fixture.pool.leases());
        assertEquals(1, fixture.pool.statistics().usedBlocks());
    }
}
