package io.verbena.rc.memory;

import static io.verbena.rc.memory.MemoryTable.LOCAL;
import static io.verbena.rc.memory.MemoryTable.REMOTE;
import static io.verbena.rc.memory.TableFixture.DOMAIN;
import static io.verbena.rc.memory.TableFixture.entry;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a key opens, to whom, and for how long. */
@Timeout(30)
class MemoryTableTest {
    @Test
    void findsWhatWasInserted() {
        try (TableFixture fixture = TableFixture.random(4, 1)) {
            MemoryEntry entry = new MemoryEntry(DOMAIN, 5, 0x7000, 300, 0xABC000, 42);
            int key = fixture.table.insert(entry, REMOTE);
            long slot = fixture.table.find(key, REMOTE, DOMAIN);
            assertNotEquals(0, slot);
            assertEquals(5, MemorySlot.access(slot));
            assertEquals(0x7000, MemorySlot.iova(slot));
            assertEquals(300, MemorySlot.length(slot));
            assertEquals(0xABC000, MemorySlot.base(slot));
            assertEquals(42, MemorySlot.region(slot));
            assertEquals(1, fixture.table.size());
        }
    }

    @Test
    void doesNotFindUnknownKeys() {
        try (TableFixture fixture = TableFixture.random(4, 1)) {
            int key = fixture.table.insert(entry(0, 8), REMOTE);
            for (int bit = 0; bit < Integer.SIZE; bit++) {
                assertEquals(0, fixture.table.find(key ^ 1 << bit, REMOTE, DOMAIN), "bit " + bit);
            }
            assertEquals(0, fixture.table.find(0, REMOTE, DOMAIN));
            assertEquals(0, fixture.table.find(0, LOCAL, DOMAIN));
        }
    }

    @Test
    void keepsKindsAndDomainsApart() {
        try (TableFixture fixture = TableFixture.random(4, 1)) {
            int lkey = fixture.table.insert(entry(0, 8), LOCAL);
            int rkey = fixture.table.insert(entry(0, 8), REMOTE);
            assertNotEquals(lkey, rkey);
            assertEquals(0, fixture.table.find(lkey, REMOTE, DOMAIN));
            assertEquals(0, fixture.table.find(rkey, LOCAL, DOMAIN));
            assertEquals(0, fixture.table.find(lkey, LOCAL, DOMAIN + 1));
            assertEquals(0, fixture.table.find(rkey, REMOTE, DOMAIN - 1));
            assertNotEquals(0, fixture.table.find(lkey, LOCAL, DOMAIN));
            assertNotEquals(0, fixture.table.find(rkey, REMOTE, DOMAIN));
        }
    }

    @Test
    void revokesAtOnceAndMovesTheEpoch() {
        try (TableFixture fixture = TableFixture.random(4, 1)) {
            MemoryTable table = fixture.table;
            assertNotEquals(0, table.epoch());
            int key = table.insert(entry(64, 8), REMOTE);
            int other = table.insert(entry(64, 8), LOCAL);
            long slot = table.find(key, REMOTE, DOMAIN);
            long epoch = table.epoch();
            table.revoke(key);
            assertNotEquals(epoch, table.epoch());
            assertEquals(0, table.find(key, REMOTE, DOMAIN));
            assertEquals(0, table.find(key, LOCAL, DOMAIN));
            assertNotEquals(0, table.find(other, LOCAL, DOMAIN));
            assertTrue(MemorySlot.covers(slot, 64, 8), "accesses in flight still see the contents");
            assertEquals(2, table.size());
        }
    }

    @Test
    void insertingAndReleasingLeaveTheEpochAlone() {
        try (TableFixture fixture = TableFixture.random(4, 1)) {
            int key = fixture.table.insert(entry(0, 8), REMOTE);
            fixture.table.revoke(key);
            long epoch = fixture.table.epoch();
            fixture.table.insert(entry(0, 8), LOCAL);
            fixture.table.release(key);
            assertEquals(epoch, fixture.table.epoch());
        }
    }

    @Test
    void reinstatesWithNewContentsAndTheSameKind() {
        try (TableFixture fixture = TableFixture.random(4, 1)) {
            MemoryTable table = fixture.table;
            int key = table.insert(entry(0, 8), LOCAL);
            table.revoke(key);
            table.reinstate(key, new MemoryEntry(DOMAIN + 1, 3, 4096, 16, 0, 9));
            assertEquals(0, table.find(key, LOCAL, DOMAIN), "it moved to another domain");
            assertEquals(0, table.find(key, REMOTE, DOMAIN + 1), "it kept its kind");
            long slot = table.find(key, LOCAL, DOMAIN + 1);
            assertTrue(MemorySlot.covers(slot, 4096, 16));
            assertEquals(3, MemorySlot.access(slot));
            assertEquals(0, MemorySlot.base(slot));
            assertEquals(9, MemorySlot.region(slot));
            assertEquals(1, table.size());
            table.revoke(key);
            table.release(key);
            assertEquals(0, table.size());
        }
    }

    @Test
    void aReleasedSlotCoversNothing() {
        try (TableFixture fixture = TableFixture.random(4, 1)) {
            int key = fixture.table.insert(entry(0, 8), REMOTE);
            long slot = fixture.table.find(key, REMOTE, DOMAIN);
            fixture.table.revoke(key);
            fixture.table.release(key);
            assertFalse(MemorySlot.covers(slot, 0, 1));
        }
    }

    @Test
    void aRevokedSlotIsNotReusedBeforeItsRelease() {
        try (TableFixture fixture = TableFixture.random(2, 1)) {
            int first = fixture.table.insert(entry(0, 8), REMOTE);
            fixture.table.insert(entry(0, 8), REMOTE);
            fixture.table.revoke(first);
            assertThrows(IllegalStateException.class, () -> fixture.table.insert(entry(0, 8), REMOTE));
            fixture.table.release(first);
            fixture.table.insert(entry(0, 8), REMOTE);
        }
    }

    @Test
    void refusesToInsertIntoAFullTable() {
        try (TableFixture fixture = TableFixture.random(100, 1)) {
            List<Integer> keys = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                keys.add(fixture.table.insert(entry(i, 8), REMOTE));
            }
            var refusal = assertThrows(
                    IllegalStateException.class, () -> fixture.table.insert(entry(0, 8), LOCAL));
            assertTrue(refusal.getMessage().contains("100"), refusal.getMessage());
            assertEquals(100, fixture.table.size());
            for (int i = 0; i < 100; i++) {
                assertEquals(i, MemorySlot.iova(fixture.table.find(keys.get(i), REMOTE, DOMAIN)));
            }
            assertEquals(0, fixture.table.find(-5, REMOTE, DOMAIN));
        }
    }

    @Test
    void aTableForOneKeyWorks() {
        try (TableFixture fixture = TableFixture.random(1, 1)) {
            for (int i = 0; i < 100; i++) {
                int key = fixture.table.insert(entry(i, 8), REMOTE);
                assertNotEquals(0, fixture.table.find(key, REMOTE, DOMAIN));
                assertEquals(0, fixture.table.find(key + 1, REMOTE, DOMAIN));
                fixture.table.revoke(key);
                fixture.table.release(key);
            }
            assertEquals(0, fixture.tombstones());
        }
    }

    @Test
    void refusesMisuse() {
        try (TableFixture fixture = TableFixture.random(4, 1)) {
            MemoryTable table = fixture.table;
            int key = table.insert(entry(0, 8), REMOTE);
            assertThrows(IllegalArgumentException.class, () -> table.insert(entry(0, 8), 0));
            assertThrows(IllegalArgumentException.class, () -> table.insert(entry(0, 8), 3));
            assertThrows(IllegalArgumentException.class, () -> table.release(key), "live");
            assertThrows(IllegalArgumentException.class, () -> table.reinstate(key, entry(0, 8)), "live");
            assertThrows(IllegalArgumentException.class, () -> table.revoke(key + 1), "unknown");
            assertThrows(IllegalArgumentException.class, () -> table.revoke(0), "never a key");
            table.revoke(key);
            assertThrows(IllegalArgumentException.class, () -> table.revoke(key), "revoked");
            table.release(key);
            assertThrows(IllegalArgumentException.class, () -> table.release(key), "released");
            assertThrows(IllegalArgumentException.class, () -> table.reinstate(key, entry(0, 8)), "released");
            assertThrows(IllegalArgumentException.class, () -> table.revoke(key), "released");
            assertThrows(IllegalArgumentException.class, () -> MemoryTable.bytesFor(0));
            assertThrows(IllegalArgumentException.class, () -> MemoryTable.bytesFor((1 << 24) + 1));
            assertThrows(IllegalArgumentException.class, () -> new MemoryTable(0, 4, () -> 1));
            assertThrows(IllegalArgumentException.class, () -> new MemoryTable(72, 4, () -> 1));
        }
    }

    @Test
    void storageIsAHeaderAndTwiceAsManySlotsAsKeys() {
        assertEquals(128 + 64 * 2, MemoryTable.bytesFor(1));
        assertEquals(128 + 64 * 4, MemoryTable.bytesFor(2));
        assertEquals(128 + 64 * 8, MemoryTable.bytesFor(3));
        assertEquals(128 + 64 * 8, MemoryTable.bytesFor(4));
        assertEquals(128 + 64 * 2048, MemoryTable.bytesFor(1000));
        assertEquals(128 + (64L << 25), MemoryTable.bytesFor(1 << 24));
    }

    @Test
    void findingAllocatesNothing() {
        try (TableFixture fixture = TableFixture.random(64, 1)) {
            int[] keys = new int[64];
            for (int i = 0; i < keys.length; i++) {
                keys[i] = fixture.table.insert(entry(0, 4096), REMOTE);
            }
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            int covered = lookUp(fixture.table, keys, 1_000);
            long before = threads.getCurrentThreadAllocatedBytes();
            covered += lookUp(fixture.table, keys, 100_000);
            assertEquals(0, threads.getCurrentThreadAllocatedBytes() - before);
            assertEquals(101_000, covered);
        }
    }

    private static int lookUp(MemoryTable table, int[] keys, int times) {
        int covered = 0;
        for (int i = 0; i < times; i++) {
            long slot = table.find(keys[i & keys.length - 1], REMOTE, DOMAIN);
            covered += table.epoch() != 0 && MemorySlot.covers(slot, 16, 64) ? 1 : 0;
            covered += table.find(i, LOCAL, DOMAIN) == 0 ? 0 : 1;
        }
        return covered;
    }

    @Test
    void keysAreWhatTheSourceOffers() {
        Set<Integer> offered = new HashSet<>();
        Random random = new Random(3);
        try (TableFixture fixture = new TableFixture(1000, () -> {
            int next = random.nextInt();
            offered.add(next);
            return next;
        })) {
            Set<Integer> keys = new HashSet<>();
            for (int i = 0; i < 1000; i++) {
                keys.add(fixture.table.insert(entry(0, 8), i % 2 == 0 ? LOCAL : REMOTE));
            }
            assertEquals(1000, keys.size());
            assertTrue(offered.containsAll(keys), "nothing predictable is mixed in");
        }
    }
}
