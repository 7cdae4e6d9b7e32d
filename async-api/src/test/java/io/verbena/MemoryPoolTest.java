package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Access;
import io.verbena.verbs.Context;
import io.verbena.verbs.Devices;
import io.verbena.verbs.ProtectionDomain;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Allocating and registering. */
class MemoryPoolTest {
    private static final long SLAB = 1L << 20;
    private static final PoolConfig SMALL = new PoolConfig(SLAB, 4 * SLAB, 1, false);

    private final Context context = Devices.open("soft");
    private final ProtectionDomain domain = context.allocateProtectionDomain();
    private MemoryPool pool = new MemoryPool(domain, SMALL, false);

    @AfterEach
    void nothingIsLeftOfAClosedPool() {
        pool.close();
        domain.close();
        context.close();
    }

    @Test
    void memoryIsZeroedUnlessToldOtherwise() {
        long address;
        try (LocalMemory memory = pool.allocate(200)) {
            address = memory.address();
            memory.writable().fill((byte) 7);
        }
        try (LocalMemory same = pool.allocate(200, AllocationOptions.DEFAULT.withZeroed(false))) {
            assertEquals(address, same.address());
            assertTrue(MemoryFixture.holds(same.readable(), 7));
        }
        try (LocalMemory zeroed = pool.allocate(200)) {
            assertEquals(address, zeroed.address());
            assertTrue(MemoryFixture.holds(zeroed.readable(), 0));
        }
    }

    @Test
    void everyLengthAndAlignmentIsKept() {
        for (int alignment = 1; alignment <= 4_096; alignment *= 2) {
            AllocationOptions options = AllocationOptions.DEFAULT.withAlignment(alignment).withZeroed(false);
            for (long length : new long[] {1, 63, 64, 65, 100, 4_095, 4_097, 32_768, 32_769, SLAB, SLAB + 1}) {
                try (LocalMemory memory = pool.allocate(length, options)) {
                    assertEquals(length, memory.length());
                    assertEquals(0, memory.address() % alignment, length + " bytes at " + alignment);
                }
            }
        }
        assertEquals(0, pool.statistics().usedBlocks());
    }

    @Test
    void piecesNeverOverlap() {
        List<LocalMemory> pieces = new ArrayList<>();
        for (int i = 0; i < 3_000; i++) {
            LocalMemory memory = pool.allocate(1 + i * 37 % 900);
            assertTrue(MemoryFixture.holds(memory.readable(), 0), "piece " + i + " is somebody else's");
            memory.writable().fill((byte) 1);
            pieces.add(memory);
        }
        pieces.forEach(LocalMemory::close);
        assertEquals(0, pool.statistics().usedBytes());
    }

    @Test
    void theBoundHoldsAndSaysHowMuchIsUsed() {
        List<LocalMemory> pieces = new ArrayList<>();
        MemoryExhaustedException refused = assertThrows(MemoryExhaustedException.class, () -> {
            while (true) {
                pieces.add(pool.allocate(60_000));
            }
        });
        assertEquals(60_000, refused.requestedBytes());
        assertEquals(pieces.size() * 61_440L, refused.usedBytes());
        assertEquals(4 * SLAB, refused.maxBytes());
        assertTrue(refused.getMessage().contains(refused.usedBytes() + " are in use"), refused.getMessage());
        assertEquals(4 * SLAB, pool.statistics().totalBytes());
        assertEquals(1, pool.statistics().failures());
        pieces.removeLast().close();
        pieces.add(pool.allocate(60_000));
        pieces.forEach(LocalMemory::close);
    }

    @Test
    void whatLiesFreeInSmallPiecesServesLargeOnes() {
        List<LocalMemory> pieces = new ArrayList<>();
        assertThrows(MemoryExhaustedException.class, () -> {
            while (true) {
                pieces.add(pool.allocate(64));
            }
        });
        pieces.forEach(LocalMemory::close);
        pool.allocate(4 * SLAB).close();
        pool.allocate(64).close();
    }

    @Test
    void emptySlabsBeyondTheReserveAreGivenBack() {
        List<LocalMemory> pieces = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            pieces.add(pool.allocate(SLAB));
        }
        assertEquals(4, pool.statistics().slabs());
        pieces.forEach(LocalMemory::close);
        assertEquals(1, pool.statistics().slabs());
        pool.trim();
        assertEquals(0, pool.statistics().slabs());
        assertEquals(0, pool.statistics().totalBytes());
    }

    @Test
    void memoryClosedByACompletionIsGivenBackAsWell() {
        LocalMemory first = pool.allocate(SLAB);
        LocalMemory second = pool.allocate(SLAB);
        long one = first.acquire(true, true, "READ");
        long two = second.acquire(true, false, "READ");
        first.close();
        second.close();
        assertEquals(2, pool.statistics().usedBlocks());
        first.loans().release(one);
        second.loans().release(two);
        assertEquals(0, pool.statistics().usedBlocks());
        Waiting.until("one slab is left", () -> pool.statistics().slabs() == 1);
    }

    @Test
    void countsWhatIsInUse() {
        LocalMemory small = pool.allocate(65);
        LocalMemory large = pool.allocate(40_000);
        MemoryStatistics now = pool.statistics();
        assertEquals(2, now.usedBlocks());
        assertEquals(80 + 40_960, now.usedBytes());
        assertEquals(2, now.allocations());
        small.close();
        small.close();
        large.close();
        assertEquals(0, pool.statistics().usedBlocks());
        assertEquals(2, pool.statistics().allocations());
    }

    @Test
    void badArgumentsAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> pool.allocate(0));
        assertThrows(IllegalArgumentException.class, () -> pool.allocate(-1));
        assertThrows(MemoryExhaustedException.class, () -> pool.allocate(Long.MAX_VALUE));
        AllocationOptions options = AllocationOptions.DEFAULT;
        assertThrows(IllegalArgumentException.class, () -> options.withAlignment(0));
        assertThrows(IllegalArgumentException.class, () -> options.withAlignment(48));
        assertThrows(IllegalArgumentException.class, () -> options.withAlignment(8_192));
        assertThrows(IllegalArgumentException.class, () -> options.withAccess(Access.REMOTE_WRITE));
        assertThrows(IllegalArgumentException.class, () -> options.withAccess(Access.MW_BIND));
        assertThrows(IllegalArgumentException.class, () -> SMALL.withSlabBytes(SLAB + 1));
        assertThrows(IllegalArgumentException.class, () -> SMALL.withMaxBytes(SLAB - 1));
        assertThrows(IllegalArgumentException.class, () -> SMALL.withReserveSlabs(-1));
        assertThrows(NullPointerException.class, () -> pool.register(null));
    }

    @Test
    void aClosedPoolSaysSo() {
        LocalMemory left = pool.allocate(100);
        pool.close();
        assertThrows(IllegalStateException.class, () -> pool.allocate(64));
        assertThrows(IllegalStateException.class, () -> left.unchecked().get(ValueLayout.JAVA_BYTE, 0));
        left.close();
        try (Arena arena = Arena.ofShared()) {
            assertThrows(IllegalStateException.class, () -> pool.register(arena.allocate(64)));
        }
    }

    @Test
    void registeredMemoryIsTheUsersSegment() {
        try (Arena arena = Arena.ofShared()) {
            var segment = arena.allocate(100, 8);
            LocalMemory memory = pool.register(segment);
            assertEquals(segment.address(), memory.address());
            assertEquals(1, pool.registrations());
            memory.writable().set(ValueLayout.JAVA_BYTE, 99, (byte) 5);
            assertEquals(5, segment.get(ValueLayout.JAVA_BYTE, 99));
            memory.close();
            memory.close();
            assertEquals(0, pool.registrations());
            assertTrue(segment.scope().isAlive());
        }
    }

    @Test
    void readOnlySegmentsAreForReadingOnly() {
        try (Arena arena = Arena.ofShared()) {
            var segment = arena.allocate(100).asReadOnly();
            LocalMemory memory = pool.register(segment);
            assertTrue(memory.writable().isReadOnly());
            long code = memory.acquire(true, true, "READ");
            assertTrue(memory.refusal(code, true).getMessage().contains("LOCAL_WRITE"));
            assertThrows(IllegalArgumentException.class, () -> memory.expose(Access.REMOTE_WRITE));
            memory.expose(Access.REMOTE_READ).close();
            memory.close();
        }
    }

    @Test
    void lostMemoryIsReportedWhenTheCheckIsOn() {
        pool.close();
        pool = new MemoryPool(domain, SMALL.withLeakCheck(true), false);
        lose();
        Waiting.until("the loss is found", () -> {
            System.gc();
            return pool.leaks() == 1;
        });
        assertEquals(1, pool.statistics().usedBlocks());
    }

    private void lose() {
        pool.allocate(64).close();
        LocalMemory kept = pool.allocate(64).slice(0, 8);
        System.gc();
        assertFalse(kept.isClosed());
        assertEquals(0, pool.leaks());
    }
}
