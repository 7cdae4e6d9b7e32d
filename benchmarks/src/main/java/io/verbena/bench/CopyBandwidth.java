package io.verbena.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.HdrHistogram.Histogram;

/** copy_bw: copies one buffer to another one, again and again. What large READs and WRITEs are compared with. */
final class CopyBandwidth extends Side {
    private static final long PAGE = 4_096;

    private final long size;
    private final MemorySegment from;
    private final MemorySegment to;
    private final Histogram histogram;

    CopyBandwidth(StopFlag stop, long size, Histogram histogram) {
        super(stop);
        this.size = size;
        this.histogram = histogram;
        from = Arena.ofAuto().allocate(size, PAGE).fill((byte) 1);
        to = Arena.ofAuto().allocate(size, PAGE).fill((byte) 2);
    }

    @Override
    public void run(long count) {
        for (long left = count; left > 0; left -= BATCH) {
            batch((int) Math.min(left, BATCH));
        }
    }

    private void batch(int count) {
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            MemorySegment.copy(from, 0, to, 0, size);
        }
        histogram.recordValue(Math.min((System.nanoTime() - start) / count, Rig.LONGEST_NS));
    }
}
