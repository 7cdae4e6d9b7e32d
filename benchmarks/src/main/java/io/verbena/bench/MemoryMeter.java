package io.verbena.bench;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.locks.LockSupport;

/**
 * Tells how much memory came to be used between two points: on the heap by what a collection leaves, off the heap by
 * what the JVM counts as direct memory (arenas and direct buffers).
 */
final class MemoryMeter {
    private static final int COLLECTIONS = 4; // the serial collector packs the heap without gaps every fourth time
    private static final long PAUSE_NS = 1_000_000;

    private final Runtime runtime = Runtime.getRuntime();
    private final BufferPoolMXBean direct =
            ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                    .filter(pool -> pool.getName().equals("direct")).findFirst().orElseThrow();
    private Usage last = new Usage(0, 0);
    private long spentNanos;

    /**
     * Memory in use, or a difference.
     *
     * @param heap bytes on the heap
     * @param offHeap bytes off the heap
     */
    record Usage(double heap, double offHeap) {
        Usage plus(Usage other) {
            return new Usage(heap + other.heap, offHeap + other.offHeap);
        }

        Usage by(double count) {
            return new Usage(heap / count, offHeap / count);
        }
    }

    /** What came to be used since the last call. */
    Usage since() {
        long start = System.nanoTime();
        Usage now = now();
        Usage grown = new Usage(now.heap - last.heap, now.offHeap - last.offHeap);
        last = now;
        spentNanos += System.nanoTime() - start;
        return grown;
    }

    /** Time spent measuring so far. */
    long spentNanos() {
        return spentNanos;
    }

    private Usage now() {
        long heap = Long.MAX_VALUE;
        long offHeap = Long.MAX_VALUE;
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
            // What the collector found unreachable is released by a thread of its own.
            LockSupport.parkNanos(PAUSE_NS);
            heap = Math.min(heap, runtime.totalMemory() - runtime.freeMemory());
            offHeap = Math.min(offHeap, direct.getMemoryUsed());
        }
        return new Usage(heap, offHeap);
    }
}
