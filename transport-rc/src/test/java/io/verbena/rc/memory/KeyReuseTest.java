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

import java.util.HashSet;
import java.util.Set;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Keys stay unique and retired ones stay dead, however bad the key source is. */
@Timeout(30)
class KeyReuseTest {
    /** Offers a favourite key before every fresh one, and a zero now and then. */
    private static final class PushySource implements IntSupplier {
        private int favourite;
        private int calls;
        private int fresh;

        @Override
        public int getAsInt() {
            calls++;
            if (calls % 3 == 0) {
                return 0;
            }
            return calls % 3 == 1 && favourite != 0 ? favourite : ++fresh * 0x0101_0101;
        }
    }

    @Test
    void keysAreUniqueAndNeverZeroWhateverTheSourceOffers() {
        int[] offers = {0, 5, 5, 0, 5, -1, -1, 7, 5, 0, 8};
        int[] next = {0};
        try (TableFixture fixture = new TableFixture(8, () -> offers[next[0]++ % offers.length])) {
            assertEquals(5, fixture.table.insert(entry(0, 8), LOCAL));
            assertEquals(-1, fixture.table.insert(entry(0, 8), REMOTE), "5 is taken by a key of the other kind");
            assertEquals(7, fixture.table.insert(entry(0, 8), REMOTE));
            fixture.table.revoke(5);
            assertEquals(8, fixture.table.insert(entry(0, 8), REMOTE), "a revoked key is still taken");
        }
    }

    @Test
    void aStuckSourceIsReportedInsteadOfMakingKeysPredictable() {
        try (TableFixture fixture = new TableFixture(8, () -> 77)) {
            fixture.table.insert(entry(0, 8), LOCAL);
            assertThrows(IllegalStateException.class, () -> fixture.table.insert(entry(0, 8), LOCAL));
            assertEquals(1, fixture.table.size());
        }
        try (TableFixture fixture = new TableFixture(8, () -> 0)) {
            assertThrows(IllegalStateException.class, () -> fixture.table.insert(entry(0, 8), LOCAL));
        }
    }

    @Test
    void aRetiredKeyIsNotReusedFor65536Registrations() {
        PushySource source = new PushySource();
        try (TableFixture fixture = new TableFixture(4, source)) {
            MemoryTable table = fixture.table;
            int old = table.insert(entry(0, 8), REMOTE);
            table.revoke(old);
            table.release(old);
            source.favourite = old;
            for (int i = 0; i < 65_536; i++) {
                int key = table.insert(entry(0, 8), REMOTE);
                assertNotEquals(old, key);
                assertEquals(0, table.find(old, REMOTE, DOMAIN));
                table.revoke(key);
                table.release(key);
            }
            int key = table.insert(entry(0, 8), REMOTE);
            for (int i = 0; i < 3 && key != old; i++) {
                key = table.insert(entry(0, 8), REMOTE);
            }
            assertEquals(old, key, "after that it may come back");
        }
    }

    @Test
    void theHistoryGrowsWithWhatItRemembersAndStopsAt65536() {
        RetiredKeys retired = new RetiredKeys();
        Set<Integer> model = new HashSet<>();
        for (int i = 0; i < 3 * RetiredKeys.CAPACITY; i++) {
            int key = i * 0x9E37_79B9;
            retired.add(key);
            model.add(key);
            if (i >= RetiredKeys.CAPACITY) {
                int forgotten = (i - RetiredKeys.CAPACITY) * 0x9E37_79B9;
                model.remove(forgotten);
                assertFalse(retired.contains(forgotten));
            }
            assertEquals(model.size(), retired.size());
        }
        assertEquals(RetiredKeys.CAPACITY, retired.size());
        for (int key : model) {
            assertTrue(retired.contains(key));
        }
    }

    @Test
    void theHistoryHoldsAnyKey() {
        RetiredKeys retired = new RetiredKeys();
        int[] keys = {-1, 1, Integer.MIN_VALUE, Integer.MAX_VALUE};
        for (int key : keys) {
            assertFalse(retired.contains(key));
            retired.add(key);
            assertTrue(retired.contains(key));
        }
    }
}
