package io.verbena.rc.memory;

import static io.verbena.rc.memory.MemoryTable.REMOTE;
import static io.verbena.rc.memory.TableFixture.DOMAIN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Readers on other threads while the control plane works, under the guard contract that the table documents. */
@Timeout(60)
class TableConcurrencyTest {
    private static final int READERS = 3;
    private static final int KEYS = 32;
    private static final int CHANGES = 60_000;

    private final TableFixture fixture = TableFixture.random(KEYS, 11);
    /** Per reader: 0 outside, 1 inside. Volatile stores, as the contract asks. */
    private final AtomicIntegerArray guards = new AtomicIntegerArray(READERS * 32);
    /** What peers were told: a serial number and the key it belongs to. */
    private final AtomicLongArray told = new AtomicLongArray(KEYS);
    private volatile boolean done;

    /** What one reader met. */
    private static final class Tally {
        long found;
        long missed;
        long remembered;
    }

    /** Contents in which every field follows from the serial number. */
    private static MemoryEntry contents(int serial) {
        return new MemoryEntry(DOMAIN, serial, serial * 5L, serial * 3L, serial * 7L + 1, ~serial);
    }

    private static int serialOf(long slot) {
        int serial = MemorySlot.access(slot);
        MemoryEntry expected = contents(serial);
        assertEquals(expected.iova(), MemorySlot.iova(slot));
        assertEquals(expected.length(), MemorySlot.length(slot));
        assertEquals(expected.base(), MemorySlot.base(slot));
        assertEquals(expected.region(), MemorySlot.region(slot));
        return serial;
    }

    private Tally read(int reader) {
        Tally tally = new Tally();
        Random random = new Random(reader);
        long rememberedSlot = 0;
        long rememberedEpoch = 0;
        int rememberedSerial = 0;
        while (!done) {
            long pair = told.get(random.nextInt(KEYS));
            int key = (int) pair;
            int serial = (int) (pair >>> 32);
            guards.set(reader * 32, 1);
            long epoch = fixture.table.epoch();
            if (rememberedSlot != 0 && rememberedEpoch == epoch) {
                assertEquals(rememberedSerial, serialOf(rememberedSlot), "a remembered slot of an unchanged epoch");
                tally.remembered++;
            }
            long slot = fixture.table.find(key, REMOTE, DOMAIN);
            if (slot == 0) {
                tally.missed++;
            } else {
                // Reregistration gives the key a later serial number of the same residue.
                int seen = serialOf(slot);
                assertEquals(0, (seen - serial) % KEYS, "contents of another key");
                assertTrue(seen >= serial, "contents older than what peers were told");
                tally.found++;
                rememberedSlot = slot;
                rememberedEpoch = epoch;
                rememberedSerial = seen;
            }
            guards.set(reader * 32, 0);
        }
        return tally;
    }

    private void awaitReaders() {
        for (int reader = 0; reader < READERS; reader++) {
            while (guards.get(reader * 32) != 0) {
                Thread.onSpinWait();
            }
        }
    }

    private void write() {
        Random random = new Random(99);
        int[] keys = new int[KEYS];
        int[] serials = new int[KEYS];
        for (int change = 0; change < CHANGES; change++) {
            int place = random.nextInt(KEYS);
            serials[place] = serials[place] == 0 ? KEYS + place : serials[place] + KEYS;
            MemoryEntry entry = contents(serials[place]);
            if (keys[place] == 0) {
                keys[place] = fixture.table.insert(entry, REMOTE);
            } else {
                fixture.table.revoke(keys[place]);
                awaitReaders();
                if (random.nextInt(4) == 0) {
                    fixture.table.reinstate(keys[place], entry);
                } else {
                    fixture.table.release(keys[place]);
                    keys[place] = 0;
                    continue;
                }
            }
            told.set(place, (long) serials[place] << 32 | keys[place] & 0xFFFF_FFFFL);
        }
    }

    @Test
    void readersNeverSeeContentsOfAnotherKey() throws Exception {
        try (fixture;
                ExecutorService executor = Executors.newFixedThreadPool(READERS)) {
            List<Future<Tally>> readers = new ArrayList<>();
            for (int i = 0; i < READERS; i++) {
                int reader = i;
                Callable<Tally> task = () -> {
                    try {
                        return read(reader);
                    } finally {
                        guards.set(reader * 32, 0);
                    }
                };
                readers.add(executor.submit(task));
            }
            try {
                write();
            } finally {
                done = true;
            }
            Tally sum = new Tally();
            for (Future<Tally> reader : readers) {
                Tally tally = reader.get();
                sum.found += tally.found;
                sum.missed += tally.missed;
                sum.remembered += tally.remembered;
            }
            assertTrue(sum.found > 0 && sum.missed > 0 && sum.remembered > 0,
                    sum.found + " found, " + sum.missed + " missed, " + sum.remembered + " remembered");
        }
    }
}
