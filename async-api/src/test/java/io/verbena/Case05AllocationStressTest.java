package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

/** Case 5: many threads allocate small and large, to the bound and beyond, and nobody gets what another one has. */
class Case05AllocationStressTest {
    private static final int THREADS = 6;
    private static final int STEPS = 8_000;
    private static final int HELD = 40;

    @EveryLink
    void manyThreadsAllocateAndFreeEverySize(String link) throws Exception {
        try (MemoryFixture fixture = new MemoryFixture(link, new PoolConfig(1L << 20, 8L << 20, 2, false));
                var threads = Executors.newFixedThreadPool(THREADS)) {
            AtomicLong refused = new AtomicLong();
            BlockingQueue<LocalMemory> handedOver = new LinkedBlockingQueue<>(THREADS * HELD);
            List<Callable<Void>> work = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                int mark = i + 1;
                work.add(() -> run(fixture.pool, handedOver, mark, refused));
            }
            for (var result : threads.invokeAll(work)) {
                result.get();
            }
            handedOver.forEach(LocalMemory::close);
            assertTrue(refused.get() > 0, "the bound was never met");
            MemoryStatistics left = fixture.pool.statistics();
            assertEquals(0, left.usedBlocks());
            assertEquals(0, left.usedBytes());
            assertEquals(refused.get(), left.failures());
            fixture.pool.trim();
            assertEquals(0, fixture.pool.statistics().totalBytes());
        }
    }

    private static Void run(MemoryPool pool, BlockingQueue<LocalMemory> handedOver, int mark, AtomicLong refused) {
        Random random = new Random(mark);
        ArrayDeque<LocalMemory> held = new ArrayDeque<>();
        for (int step = 0; step < STEPS; step++) {
            try {
                long length = random.nextInt(50) == 0 ? random.nextInt(1, 3 << 20) : 1L << random.nextInt(13);
                LocalMemory memory = pool.allocate(length, AllocationOptions.DEFAULT.withZeroed(false));
                ends(memory, mark);
                held.add(memory);
            } catch (MemoryExhaustedException full) {
                refused.incrementAndGet();
                free(held, mark);
            }
            if (held.size() > HELD) {
                LocalMemory oldest = held.poll();
                check(oldest, mark);
                // Memory is freed by others, too.
                if (random.nextBoolean() || !handedOver.offer(oldest)) {
                    oldest.close();
                }
            }
            LocalMemory others = step % 2 == 0 ? handedOver.poll() : null;
            if (others != null) {
                others.close();
            }
        }
        free(held, mark);
        return null;
    }

    private static void free(ArrayDeque<LocalMemory> held, int mark) {
        for (LocalMemory each = held.poll(); each != null; each = held.poll()) {
            check(each, mark);
            each.close();
        }
    }

    private static void ends(LocalMemory memory, int mark) {
        memory.unchecked().set(ValueLayout.JAVA_BYTE, 0, (byte) mark);
        memory.unchecked().set(ValueLayout.JAVA_BYTE, memory.length() - 1, (byte) mark);
    }

    private static void check(LocalMemory memory, int mark) {
        assertEquals(mark, memory.unchecked().get(ValueLayout.JAVA_BYTE, 0));
        assertEquals(mark, memory.unchecked().get(ValueLayout.JAVA_BYTE, memory.length() - 1));
    }
}
