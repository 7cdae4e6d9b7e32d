package io.verbena.rc.memory;

import static io.verbena.rc.memory.MemoryTable.LOCAL;
import static io.verbena.rc.memory.MemoryTable.REMOTE;
import static io.verbena.rc.memory.TableFixture.DOMAIN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Access;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Windows: what their keys open and when, and that the rest of the table does not notice. */
@Timeout(60)
class MemoryWindowsTest {
    private static final int OWNER = 77;
    private static final long IOVA = 1L << 40;
    private static final long BYTES = 4096;
    private static final int FULL = Access.LOCAL_WRITE | Access.MW_BIND;

    private final TableFixture fixture = TableFixture.random(64, 3);
    private final MemoryTable table = fixture.table;
    private final MemoryWindows windows = table.windows();

    @AfterEach
    void free() {
        fixture.close();
    }

    private long region(int access) {
        int lkey = table.insert(new MemoryEntry(DOMAIN, access, IOVA, BYTES, 0x10_0000, 5), LOCAL);
        return table.find(lkey, LOCAL, DOMAIN);
    }

    private int bind(long slot, long region, int choice, long address, long length, int access) {
        int key = MemoryWindows.key(slot) & ~0xFF | choice;
        assertTrue(MemoryWindows.isWindow(slot, key, DOMAIN));
        assertTrue(MemoryWindows.mayBind(region, address, length, access));
        assertTrue(MemoryWindows.hold(region));
        assertTrue(MemoryWindows.beginBind(slot));
        assertTrue(windows.publish(slot, key, OWNER, region, address, length, access));
        return key;
    }

    private void unbind(long slot, int key) {
        long leaving = windows.beginUnbind(slot, key);
        assertNotEquals(0, leaving);
        assertEquals(0, table.find(key, REMOTE, DOMAIN));
        assertTrue(windows.endUnbind(slot, leaving, false));
    }

    @Test
    void aBoundWindowIsFoundUnderItsKeyAlone() {
        long region = region(FULL);
        long slot = windows.insert(DOMAIN, MemoryWindows.NOBODY);
        for (int low = 0; low < 256; low++) {
            assertEquals(0, table.find(MemoryWindows.key(slot) & ~0xFF | low, REMOTE, DOMAIN), "not bound yet");
        }
        for (int choice : new int[] {7, 7, 8, 255, 0}) {
            int key = bind(slot, region, choice, IOVA + 100, 50, Access.REMOTE_READ);
            for (int low = 0; low < 256; low++) {
                assertEquals(low == choice ? slot : 0, table.find(key & ~0xFF | low, REMOTE, DOMAIN));
            }
            assertEquals(0, table.find(key, LOCAL, DOMAIN));
            assertEquals(0, table.find(key, REMOTE, DOMAIN + 1));
            assertEquals(OWNER, MemorySlot.owner(slot));
            assertEquals(IOVA + 100, MemorySlot.iova(slot));
            assertEquals(50, MemorySlot.length(slot));
            assertEquals(0x10_0000 + 100, MemorySlot.base(slot));
            assertEquals(100, MemorySlot.start(slot));
            assertEquals(5, MemorySlot.region(slot));
            unbind(slot, key);
        }
    }

    @Test
    void peersCountFromTheFirstByteOfAZeroBasedWindow() {
        long slot = windows.insert(DOMAIN, MemoryWindows.NOBODY);
        bind(slot, region(FULL), 1, IOVA + 8, 16, Access.REMOTE_READ | Access.ZERO_BASED);
        assertTrue(MemorySlot.covers(slot, 0, 16));
        assertFalse(MemorySlot.covers(slot, IOVA + 8, 1));
        assertEquals(0x10_0000 + 8, MemorySlot.base(slot));
    }

    @Test
    void refusesWhatVerbsRefuse() {
        int read = Access.REMOTE_READ;
        long region = region(FULL);
        assertTrue(MemoryWindows.mayBind(region, IOVA, BYTES, read));
        assertTrue(MemoryWindows.mayBind(region, IOVA + BYTES - 1, 1, Access.REMOTE_WRITE));
        assertFalse(MemoryWindows.mayBind(region, IOVA, 0, read), "empty");
        assertFalse(MemoryWindows.mayBind(region, IOVA, BYTES + 1, read), "longer than the region");
        assertFalse(MemoryWindows.mayBind(region, IOVA - 1, 2, read), "before the region");
        assertFalse(MemoryWindows.mayBind(region, IOVA + 8, -8, read), "wraps around");
        assertFalse(MemoryWindows.mayBind(region, IOVA + 8, Long.MIN_VALUE, read), "wraps around");
        assertFalse(MemoryWindows.mayBind(region(Access.LOCAL_WRITE), IOVA, 1, read), "no MW_BIND");
        assertFalse(MemoryWindows.mayBind(region(FULL | Access.ZERO_BASED), IOVA, 1, read), "zero-based region");
        long readable = region(Access.MW_BIND);
        assertTrue(MemoryWindows.mayBind(readable, IOVA, 1, read));
        assertFalse(MemoryWindows.mayBind(readable, IOVA, 1, Access.REMOTE_WRITE));
        assertFalse(MemoryWindows.mayBind(readable, IOVA, 1, Access.REMOTE_ATOMIC));
    }

    @Test
    void aRegionIsSealedOnlyWhileNoWindowIsBoundToIt() {
        long region = region(FULL);
        long slot = windows.insert(DOMAIN, MemoryWindows.NOBODY);
        int key = bind(slot, region, 3, IOVA, 8, 0);
        assertFalse(MemoryWindows.sealRegion(region));
        unbind(slot, key);
        assertTrue(MemoryWindows.sealRegion(region));
        assertFalse(MemoryWindows.hold(region), "sealed");
    }

    @Test
    void aBoundWindowIsNotBoundAgainAndAFreeOneNotUnbound() {
        long slot = windows.insert(DOMAIN, MemoryWindows.NOBODY);
        assertEquals(0, windows.beginUnbind(slot, MemoryWindows.key(slot)), "free");
        int key = bind(slot, region(FULL), 3, IOVA, 8, 0);
        assertTrue(MemoryWindows.isBound(slot));
        assertFalse(MemoryWindows.beginBind(slot));
        assertEquals(0, windows.beginUnbind(slot, key + 1), "another key");
        long leaving = windows.beginUnbind(slot, key);
        assertFalse(MemoryWindows.isBound(slot));
        assertFalse(MemoryWindows.beginBind(slot), "somebody may still be at work");
        assertTrue(windows.endUnbind(slot, leaving, true));
        assertFalse(MemoryWindows.beginBind(slot), "it is being bound already");
        assertFalse(MemoryWindows.isFree(slot));
        MemoryWindows.cancelBind(slot);
        assertTrue(MemoryWindows.isFree(slot));
        assertFalse(MemoryWindows.isBound(slot));
        MemoryWindows.cancelBind(slot);
        assertTrue(MemoryWindows.beginBind(slot));
    }

    @Test
    void closingWinsInEveryState() {
        long region = region(FULL);
        for (int state = 0; state < 4; state++) {
            long slot = windows.insert(DOMAIN, MemoryWindows.NOBODY);
            int key = state == 0 ? MemoryWindows.key(slot) : bind(slot, region, 3, IOVA, 8, 0);
            long leaving = state == 2 ? windows.beginUnbind(slot, key) : 0;
            if (state == 3) {
                unbind(slot, key);
                assertTrue(MemoryWindows.hold(region));
                assertTrue(MemoryWindows.beginBind(slot));
            }
            windows.close(slot);
            assertEquals(0, table.find(key, REMOTE, DOMAIN));
            assertFalse(MemoryWindows.isWindow(slot, key, DOMAIN));
            assertFalse(MemoryWindows.beginBind(slot));
            assertEquals(0, windows.beginUnbind(slot, key));
            if (state == 2) {
                assertFalse(windows.endUnbind(slot, leaving, false));
            }
            if (state == 3) {
                assertFalse(windows.publish(slot, key, OWNER, region, IOVA, 8, 0));
                MemoryWindows.drop(region);
            }
            windows.release(slot);
            assertTrue(MemoryWindows.hold(region), "not sealed");
            MemoryWindows.drop(region);
        }
        assertTrue(MemoryWindows.sealRegion(region), "every window has let go");
        assertEquals(1, table.size());
    }

    @Test
    void theWindowsOfAQueuePairThatHasGoneAreFree() {
        long region = region(FULL);
        long mine = windows.insert(DOMAIN, MemoryWindows.NOBODY);
        int key = bind(mine, region, 3, IOVA, 8, 0);
        windows.unbindIfOwnedBy(mine, OWNER + 1);
        assertEquals(mine, table.find(key, REMOTE, DOMAIN));
        windows.unbindIfOwnedBy(mine, OWNER);
        assertEquals(0, table.find(key, REMOTE, DOMAIN));
        assertTrue(MemoryWindows.sealRegion(region));
    }

    @Test
    void unbindingAndClosingMoveTheEpoch() {
        long slot = windows.insert(DOMAIN, MemoryWindows.NOBODY);
        int key = bind(slot, region(FULL), 3, IOVA, 8, 0);
        long epoch = table.epoch();
        unbind(slot, key);
        assertNotEquals(epoch, table.epoch());
        epoch = table.epoch();
        windows.close(slot);
        assertNotEquals(epoch, table.epoch());
    }

    @Test
    void noOtherKeySharesTheHighBitsOfAWindow() {
        // Few prefixes: without the rule nearly every key would share one.
        Random random = new Random(9);
        try (TableFixture crowded = new TableFixture(100, () -> random.nextInt(40 << 8))) {
            long[] slots = new long[10];
            for (int i = 0; i < slots.length; i++) {
                slots[i] = crowded.table.windows().insert(DOMAIN, MemoryWindows.NOBODY);
            }
            for (int round = 0; round < 2000; round++) {
                int key = crowded.table.insert(TableFixture.entry(0, 8), REMOTE);
                for (long slot : slots) {
                    assertNotEquals(MemoryWindows.key(slot) >>> 8, key >>> 8);
                }
                crowded.table.revoke(key);
                crowded.table.release(key);
            }
        }
    }

    @Test
    void windowsGetNoHighBitsThatAnybodyHasOrHadLately() {
        int[] offers = {0x0500, 0x0601, 0x05FF, 0x0602, 0x0007, 0x0703, 0x0700, 0x0801};
        int[] next = {0};
        try (TableFixture scripted = new TableFixture(8, () -> offers[next[0]++ % offers.length])) {
            MemoryTable keys = scripted.table;
            int live = keys.insert(TableFixture.entry(0, 8), LOCAL);
            int gone = keys.insert(TableFixture.entry(0, 8), LOCAL);
            keys.revoke(gone);
            keys.release(gone);
            assertEquals(0x0500, live);
            long first = keys.windows().insert(DOMAIN, MemoryWindows.NOBODY);
            assertEquals(0x0703, MemoryWindows.key(first), "5 is taken, 6 was taken lately, 0 could become key 0");
            keys.windows().close(first);
            keys.windows().release(first);
            assertEquals(0x0801, keys.insert(TableFixture.entry(0, 8), REMOTE), "7 was a window's lately");
        }
    }

    @Test
    void aFullTableTakesNoWindow() {
        try (TableFixture small = TableFixture.random(2, 1)) {
            small.table.windows().insert(DOMAIN, MemoryWindows.ANYBODY);
            long second = small.table.windows().insert(DOMAIN, MemoryWindows.ANYBODY);
            assertThrows(IllegalStateException.class,
                    () -> small.table.windows().insert(DOMAIN, MemoryWindows.ANYBODY));
            small.table.windows().close(second);
            small.table.windows().release(second);
            small.table.insert(TableFixture.entry(0, 8), LOCAL);
        }
    }
}
