package io.verbena.bench;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** Tells how much all threads have allocated, except the one that asks. */
final class AllocationMeter {
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** Bytes allocated since each thread began; compare two readings taken while the measured threads sleep. */
    long total() {
        long own = Thread.currentThread().threadId();
        long[] ids = threads.getAllThreadIds();
        long[] bytes = threads.getThreadAllocatedBytes(ids);
        long total = 0;
        for (int i = 0; i < ids.length; i++) {
            if (ids[i] != own && bytes[i] > 0) {
                total += bytes[i];
            }
        }
        return total;
    }
}
