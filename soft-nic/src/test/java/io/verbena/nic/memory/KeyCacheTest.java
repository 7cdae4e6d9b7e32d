package io.verbena.nic.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rc.memory.MemoryEntry;
import io.verbena.rc.memory.MemorySlot;
import io.verbena.rc.memory.MemoryTable;
import io.verbena.verbs.Access;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A cache of one key says what the table says, and nothing after it was cleared. */
class KeyCacheTest {
    private static final int DOMAIN = 7;
    private static final long IOVA = 1L << 40;
    private static final long SIZE = 4096;
    private static final long BASE = 0x10_0000;
    private static final int READ = Access.REMOTE_READ;
    private static final int WRITE = Access.REMOTE_WRITE;

    private final Arena arena = Arena.ofConfined();
    private final Random random = new Random(1);
    private final RegionTable regions = new RegionTable();
    private final MemoryTable table =
            new MemoryTable(arena.allocate(MemoryTable.bytesFor(64), 64).address(), 64, random::nextInt);
    private final KeyCache cache = new KeyCache(table, regions, MemoryTable.REMOTE, DOMAIN);

    @AfterEach
    void free() {
        arena.close();
    }

    private int insert(int domain, int kind, long base, int region) {
        return table.insert(new MemoryEntry(domain, READ | WRITE, IOVA, SIZE, base, region), kind);
    }

    @Test
    void rangeAndRightsAreCheckedWhetherTheKeyIsRememberedOrNot() {
        int key = insert(DOMAIN, MemoryTable.REMOTE, BASE, 0);
        for (boolean remembered : new boolean[] {false, true}) {
            long[][] cases = {{0, 1}, {0, SIZE}, {SIZE - 1, 1}, {8, 100}, {SIZE - 64, 64}};
            for (long[] good : cases) {
                forget(!remembered);
                assertEquals(BASE + good[0], cache.translate(key, IOVA + good[0], good[1], WRITE));
            }
            long[][] bad = {{-1, 1}, {0, SIZE + 1}, {SIZE, 1}, {1, SIZE}, {Long.MIN_VALUE, 1}, {-IOVA, 1},
                {1, Long.MAX_VALUE}, {SIZE - 1, 2}, {Long.MAX_VALUE, 8}};
            for (long[] wrong : bad) {
                forget(!remembered);
                assertEquals(KeyCache.FAULT, cache.translate(key, IOVA + wrong[0], wrong[1], WRITE));
            }
            forget(!remembered);
            assertEquals(KeyCache.FAULT, cache.translate(key, IOVA, 8, Access.REMOTE_ATOMIC));
        }
    }

    private void forget(boolean wanted) {
        if (wanted) {
            cache.clear();
        }
    }

    @Test
    void keysOfOtherDomainsAndKindsFault() {
        assertEquals(KeyCache.FAULT, cache.translate(insert(DOMAIN + 1, MemoryTable.REMOTE, BASE, 0), IOVA, 1, READ));
        assertEquals(KeyCache.FAULT, cache.translate(insert(DOMAIN, MemoryTable.LOCAL, BASE, 0), IOVA, 1, READ));
        assertEquals(KeyCache.FAULT, cache.translate(12345, IOVA, 1, READ));
    }

    @Test
    void keyZeroNeverOpensAnything() {
        assertEquals(KeyCache.FAULT, cache.translate(0, IOVA, 1, READ));
        int key = insert(DOMAIN, MemoryTable.REMOTE, BASE, 0);
        assertEquals(BASE, cache.translate(key, IOVA, 1, READ));
        assertEquals(KeyCache.FAULT, cache.translate(0, IOVA, 1, READ));
        assertEquals(BASE, cache.translate(key, IOVA, 1, READ));
        cache.clear();
        assertEquals(KeyCache.FAULT, cache.translate(0, IOVA, 1, READ));
        assertEquals(BASE, cache.translate(key, IOVA, 1, READ));
        assertEquals(KeyCache.FAULT, cache.translate(key + 1, IOVA, 1, READ));
        assertEquals(KeyCache.FAULT, cache.translate(0, IOVA, 1, READ));
    }

    @Test
    void revokedKeyFaultsOnceTheCacheIsCleared() {
        int key = insert(DOMAIN, MemoryTable.REMOTE, BASE, 0);
        assertEquals(BASE, cache.translate(key, IOVA, 1, READ));
        table.revoke(key);
        cache.clear();
        assertEquals(KeyCache.FAULT, cache.translate(key, IOVA, 1, READ));
        table.release(key);
        assertEquals(KeyCache.FAULT, cache.translate(key, IOVA, 1, READ));
    }

    @Test
    void checkedMemoryIsReachedThroughItsSegmentOnly() {
        MemorySegment segment = arena.allocate(SIZE);
        int number = regions.add(segment);
        int key = insert(DOMAIN, MemoryTable.REMOTE, 0, number);
        int raw = insert(DOMAIN, MemoryTable.REMOTE, BASE, 0);
        for (int i = 0; i < 3; i++) {
            assertEquals(KeyCache.CHECKED, cache.translate(key, IOVA + 100, 8, WRITE));
            assertSame(segment, cache.segment());
            assertEquals(100, cache.offset());
            assertEquals(BASE + 5, cache.translate(raw, IOVA + 5, 8, WRITE));
        }
        assertTrue(cache.locate(raw, IOVA + 6, 8, WRITE));
        assertEquals(6, cache.offset());
        assertFalse(cache.locate(raw, IOVA - 1, 8, WRITE));
    }

    @Test
    void cacheSaysWhatTheTableSays() {
        int[] keys = new int[16];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = i == 0 ? 0 : table.insert(new MemoryEntry(DOMAIN + i % 2, i % 3 == 0 ? READ : READ | WRITE,
                    IOVA + i * 1000L, SIZE, BASE * (i + 1L), i), i % 5 == 0 ? MemoryTable.LOCAL : MemoryTable.REMOTE);
        }
        for (int i = 0; i < 200_000; i++) {
            int key = keys[random.nextInt(keys.length)];
            long address = IOVA + random.nextInt(25_000) - 2000;
            long length = 1 + random.nextInt(5000);
            int rights = random.nextBoolean() ? READ : WRITE;
            if (random.nextInt(10) == 0) {
                cache.clear();
            }
            assertEquals(expected(key, address, length, rights), cache.translate(key, address, length, rights));
        }
    }

    private long expected(int key, long address, long length, int rights) {
        long slot = key == 0 ? 0 : table.find(key, MemoryTable.REMOTE, DOMAIN);
        boolean allowed = slot != 0 && MemorySlot.covers(slot, address, length)
                && (MemorySlot.access(slot) & rights) == rights;
        return allowed ? MemorySlot.base(slot) + address - MemorySlot.iova(slot) : KeyCache.FAULT;
    }
}
