package io.verbena.bench;

import org.HdrHistogram.Histogram;

/** The first side of aeron_lat: sends a message, waits for the answer, records the round trip. */
final class AeronPing extends Side {
    private final AeronPort port;
    private final Histogram histogram;

    AeronPing(StopFlag stop, AeronPort port, Histogram histogram) {
        super(stop);
        this.port = port;
        this.histogram = histogram;
    }

    @Override
    public void run(long count) {
        long last = System.nanoTime();
        for (long left = count; left > 0; left -= BATCH) {
            last = batch((int) Math.min(left, BATCH), last);
            port.work();
        }
    }

    private long batch(int count, long begin) {
        AeronPort mine = port;
        Histogram times = histogram;
        long last = begin;
        for (int i = 0; i < count; i++) {
            while (!mine.send()) {
                mine.work();
                giveWay();
            }
            // From departure to departure, as for verbs.
            long now = System.nanoTime();
            times.recordValue(Math.min(now - last, Rig.LONGEST_NS));
            last = now;
            int idle = 0;
            while (!mine.receive()) {
                Thread.onSpinWait();
                if (++idle == HINTED_LOOKS) {
                    mine.work();
                    idle = giveWay();
                }
            }
        }
        return last;
    }
}
