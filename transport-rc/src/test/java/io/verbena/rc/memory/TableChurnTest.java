package io.verbena.rc.memory;

import static io.verbena.rc.memory.MemoryTable.LOCAL;
import static io.verbena.rc.memory.MemoryTable.REMOTE;
import static io.verbena.rc.memory.TableFixture.DOMAIN;
import static io.verbena.rc.memory.TableFixture.entry;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Long sequences of control calls: the table stays correct and fast. */
@Timeout(60)
class TableChurnTest {
    private static final int CYCLES = 200_000;

    @Test
    void releasingTheOnlyKeyLeavesNoTrace() {
        try (TableFixture fixture = TableFixture.random(64, 5)) {
            for (int i = 0; i < CYCLES; i++) {
                int key = fixture.table.insert(entry(0, 8), REMOTE);
                fixture.table.revoke(key);
                fixture.table.release(key);
            }
            assertEquals(0, fixture.table.size());
            assertEquals(0, fixture.tombstones());
            assertEquals(0, fixture.longestRun());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 16})
    void aFullTableStaysFastUnderChurn(int keyShift) {
        int maxKeys = 2048;
        Random random = new Random(6);
        // With a shift, keys differ in their high bits only.
        int[] counter = {0};
        try (TableFixture fixture =
                new TableFixture(maxKeys, () -> keyShift == 0 ? random.nextInt() : ++counter[0] << keyShift | 1)) {
            int[] keys = new int[maxKeys];
            int cycles = keyShift == 0 ? CYCLES : 50_000;
            for (int i = 0; i < maxKeys; i++) {
                keys[i] = fixture.table.insert(entry(i, 8), REMOTE);
            }
            for (int i = 0; i < cycles; i++) {
                int victim = random.nextInt(maxKeys);
                fixture.table.revoke(keys[victim]);
                fixture.table.release(keys[victim]);
                keys[victim] = fixture.table.insert(entry(victim, 8), REMOTE);
            }
            assertEquals(maxKeys, fixture.table.size());
            assertEquals(0, fixture.uselessTombstones());
            for (int i = 0; i < maxKeys; i++) {
                assertEquals(i, MemorySlot.iova(fixture.table.find(keys[i], REMOTE, DOMAIN)));
            }
            String shape = "longest run " + fixture.longestRun() + ", mean miss " + fixture.meanMiss()
                    + ", tombstones " + fixture.tombstones() + " of " + fixture.slots() + " slots";
            assertTrue(fixture.meanMiss() < 8 && fixture.longestRun() < 200, shape);
            for (int key : keys) {
                fixture.table.revoke(key);
                fixture.table.release(key);
            }
            assertEquals(0, fixture.longestRun(), "all empty again");
        }
    }

    /** What the model knows of a key: its contents, its kind, and whether it is revoked. */
    private record Known(MemoryEntry entry, int kind, boolean revoked) {}

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void agreesWithAMapOverRandomCalls(long seed) {
        Random random = new Random(seed);
        int maxKeys = 1 + random.nextInt(20);
        // Few distinct keys: probes collide, and the source often repeats itself.
        Random keys = new Random(~seed);
        try (TableFixture fixture = new TableFixture(maxKeys, () -> keys.nextInt(4_000_000) - 1_000)) {
            Map<Integer, Known> model = new HashMap<>();
            List<Integer> dead = new ArrayList<>();
            for (int step = 0; step < 20_000; step++) {
                step(fixture.table, model, dead, random, maxKeys);
                assertEquals(model.size(), fixture.table.size());
                if (step % 50 == 0) {
                    compare(fixture, model, dead, "seed " + seed + " step " + step);
                }
            }
        }
    }

    private static void step(
            MemoryTable table, Map<Integer, Known> model, List<Integer> dead, Random random, int maxKeys) {
        int action = random.nextInt(4);
        if (action == 0 || model.isEmpty()) {
            if (model.size() < maxKeys) {
                MemoryEntry entry = randomEntry(random);
                int kind = random.nextBoolean() ? LOCAL : REMOTE;
                int key = table.insert(entry, kind);
                assertNotEquals(0, key);
                assertEquals(null, model.put(key, new Known(entry, kind, false)));
            }
            return;
        }
        int key = new ArrayList<>(model.keySet()).get(random.nextInt(model.size()));
        Known known = model.get(key);
        if (!known.revoked()) {
            table.revoke(key);
            model.put(key, new Known(known.entry(), known.kind(), true));
        } else if (action == 1) {
            MemoryEntry entry = randomEntry(random);
            table.reinstate(key, entry);
            model.put(key, new Known(entry, known.kind(), false));
        } else {
            table.release(key);
            model.remove(key);
            dead.add(key);
        }
    }

    private static MemoryEntry randomEntry(Random random) {
        return new MemoryEntry(random.nextInt(3), random.nextInt(), random.nextLong() >>> 1, random.nextInt(1 << 30),
                random.nextLong(), random.nextInt());
    }

    private static void compare(TableFixture fixture, Map<Integer, Known> model, List<Integer> dead, String where) {
        model.forEach((key, known) -> {
            for (int domain = 0; domain < 3; domain++) {
                for (int kind = LOCAL; kind <= REMOTE; kind++) {
                    long slot = fixture.table.find(key, kind, domain);
                    boolean expected = !known.revoked() && known.kind() == kind && known.entry().domain() == domain;
                    assertEquals(expected, slot != 0, where);
                    if (slot != 0) {
                        assertEquals(known.entry(), contents(slot, domain), where);
                    }
                }
            }
        });
        for (int key : dead) {
            assertTrue(model.containsKey(key) || fixture.table.find(key, LOCAL, 0) == 0, where);
        }
        assertEquals(0, fixture.uselessTombstones(), where);
        assertTrue(model.size() + fixture.tombstones() <= fixture.slots(), where);
    }

    private static MemoryEntry contents(long slot, int domain) {
        return new MemoryEntry(domain, MemorySlot.access(slot), MemorySlot.iova(slot), MemorySlot.length(slot),
                MemorySlot.base(slot), MemorySlot.region(slot));
    }
}
