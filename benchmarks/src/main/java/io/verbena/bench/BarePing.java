package io.verbena.bench;

import java.lang.foreign.MemorySegment;
import org.HdrHistogram.Histogram;

/**
 * The first side of bare_lat: copies a message in, publishes its sequence word by a release store, watches the other
 * direction's word by acquire loads, copies the answer out, records the round trip.
 */
final class BarePing extends Side {
    private static final long THERE = BareMemory.sequence(0);
    private static final long THERE_PAYLOAD = BareMemory.payload(0);
    private static final long BACK = BareMemory.sequence(1);
    private static final long BACK_PAYLOAD = BareMemory.payload(1);
    private static final long OWN = BareMemory.own(0);

    private final long size;
    private final boolean spinHint;
    private final Histogram histogram;
    private long sequence = (long) BareMemory.LONG.getAcquire(BareMemory.ALL, THERE);

    BarePing(StopFlag stop, long size, boolean spinHint, Histogram histogram) {
        super(stop);
        this.size = size;
        this.spinHint = spinHint;
        this.histogram = histogram;
    }

    @Override
    public void run(long count) {
        long last = System.nanoTime();
        for (long left = count; left > 0; left -= BATCH) {
            last = batch((int) Math.min(left, BATCH), last);
        }
    }

    private long batch(int count, long begin) {
        long bytes = size;
        boolean hint = spinHint;
        int patience = hint ? HINTED_LOOKS : LOOKS;
        long number = sequence;
        long last = begin;
        for (int i = 0; i < count; i++) {
            number++;
            MemorySegment.copy(BareMemory.ALL, OWN, BareMemory.ALL, THERE_PAYLOAD, bytes);
            BareMemory.LONG.setRelease(BareMemory.ALL, THERE, number);
            // From departure to departure, and noted while the message travels: the clock and the histogram are
            // no part of what is measured.
            long now = System.nanoTime();
            histogram.recordValue(Math.min(now - last, Rig.LONGEST_NS));
            last = now;
            int idle = 0;
            while ((long) BareMemory.LONG.getAcquire(BareMemory.ALL, BACK) != number) {
                if (hint) {
                    Thread.onSpinWait();
                }
                if (++idle == patience) {
                    idle = giveWay();
                }
            }
            MemorySegment.copy(BareMemory.ALL, BACK_PAYLOAD, BareMemory.ALL, OWN, bytes);
        }
        sequence = number;
        return last;
    }
}
