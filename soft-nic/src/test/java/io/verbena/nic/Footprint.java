package io.verbena.nic;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;

/**
 * What this JVM uses.
 *
 * @param heap bytes of heap after a collection
 * @param blocks bytes of the blocks that a NIC's objects hold
 * @param direct bytes of direct memory, which the memory of arenas counts as; that of closed NICs until it is collected
 * @param threads platform threads
 */
record Footprint(long heap, long blocks, long direct, int threads) {
    private static final int COLLECTIONS = 4;

    static Footprint of(SoftNic nic) {
        BufferPoolMXBean pool = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(each -> each.getName().equals("direct")).findFirst().orElseThrow();
        Runtime runtime = Runtime.getRuntime();
        long heap = Long.MAX_VALUE;
        long direct = Long.MAX_VALUE;
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
            heap = Math.min(heap, runtime.totalMemory() - runtime.freeMemory());
            direct = Math.min(direct, pool.getMemoryUsed());
        }
        return new Footprint(heap, nic.pool().bytesInUse(), direct,
                ManagementFactory.getThreadMXBean().getThreadCount());
    }

    Footprint minus(Footprint before) {
        return new Footprint(
                heap - before.heap, blocks - before.blocks, direct - before.direct, threads - before.threads);
    }
}
