package io.verbena.bench;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.HdrHistogram.Histogram;

/**
 * One way to READ, again and again on one thread, timed in groups. Each subclass has the hot loop in a class of its
 * own, so that the compiler sees one way only in each.
 */
abstract class ReadLoop {
    /** READs timed together, since the clock takes longer than many a READ. */
    static final int GROUP = 32;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final Histogram times = Rig.histogram();
    private final Histogram sample = Rig.histogram();
    private final Samples medians = new Samples();
    private long operations;
    private long allocated;

    /** Does so many READs one after another, each to its end. */
    abstract void group(int count);

    /** Does about so many READs without noting anything. */
    final void warmUp(int count) {
        for (int left = count; left > 0; left -= GROUP) {
            group(GROUP);
            sample.recordValue(1);
        }
    }

    /** Takes a sample of about so many READs. */
    final void sample(int count) {
        sample.reset();
        long before = THREADS.getCurrentThreadAllocatedBytes();
        int done = 0;
        long last = System.nanoTime();
        for (; done < count; done += GROUP) {
            group(GROUP);
            long now = System.nanoTime();
            sample.recordValue(Math.min((now - last) * AsyncReadCost.FRACTION / GROUP, Rig.LONGEST_NS));
            last = now;
        }
        allocated += THREADS.getCurrentThreadAllocatedBytes() - before;
        operations += done;
        times.add(sample);
        medians.add(sample.getValueAtPercentile(50) / (double) AsyncReadCost.FRACTION);
    }

    /** Nanoseconds of a READ in each sample: the median of the means of groups, which is not the scheduler's. */
    final Samples medians() {
        return medians;
    }

    /** Means of groups, in parts of a nanosecond. */
    final Histogram times() {
        return times;
    }

    /** Bytes of Java heap that a READ allocated. */
    final double bytesPerOperation() {
        return allocated / (double) operations;
    }
}
