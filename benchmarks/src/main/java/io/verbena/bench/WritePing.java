package io.verbena.bench;

import org.HdrHistogram.Histogram;

/** The first side of write_lat: writes to the peer, watches its own memory for the answer, records the round trip. */
final class WritePing extends Side {
    private final WritePort port;
    private final Histogram histogram;
    private int sent;

    WritePing(StopFlag stop, WritePort port, Histogram histogram) {
        super(stop);
        this.port = port;
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
        WritePort mine = port;
        Histogram times = histogram;
        int number = sent;
        long last = begin;
        for (int i = 0; i < count; i++) {
            mine.write(++number);
            // From departure to departure, and noted while the message travels: the clock and the histogram are
            // no part of what is measured.
            long now = System.nanoTime();
            times.recordValue(Math.min(now - last, Rig.LONGEST_NS));
            last = now;
            int idle = 0;
            while (!mine.arrived(number)) {
                Thread.onSpinWait();
                if (++idle == HINTED_LOOKS) {
                    idle = mine.drive(this, number);
                }
            }
            mine.reclaim(number);
        }
        sent = number;
        return last;
    }
}
