package io.verbena.bench;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** Tells how much all threads have allocated, except the one that asks and those that only keep processes in step. */
final class AllocationMeter {
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final long ignored;

    /** Counts all other threads. */
    AllocationMeter() {
        this(null);
    }

    /** Counts all other threads but one. */
    AllocationMeter(Thread ignored) {
        this.ignored = ignored == null ? 0 : ignored.threadId();
    }

    /** Bytes allocated since each thread began; compare two readings taken while the measured threads sleep. */
    long total() {
        long own = Thread.currentThread().threadId();
        long[] ids = threads.getAllThreadIds();
        long[] bytes = threads.getThreadAllocatedBytes(ids);
        long total = 0;
        for (int i = 0; i < ids.length; i++) {
            if (ids[i] != own && ids[i] != ignored && bytes[i] > 0) {
                total += bytes[i];
            }
        }
        return total;
    }
}
