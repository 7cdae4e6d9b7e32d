package io.verbena.bench;

import io.verbena.verbs.SendFlags;
import org.HdrHistogram.Histogram;

/** The first side of send_lat: sends a message, waits for the answer, records the round trip. */
final class SendPing extends Side {
    private final MessagePort port;
    private final Histogram histogram;
    private int sent;

    SendPing(StopFlag stop, MessagePort port, Histogram histogram) {
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
        MessagePort mine = port;
        Waiter receives = mine.receives;
        int number = sent; // not the field: the other thread's part may lie on the same cache line
        Histogram times = histogram;
        long last = begin;
        for (int i = 0; i < count; i++) {
            boolean signalled = (++number & mine.signalMask) == 0;
            int flags = signalled ? mine.flags | SendFlags.SIGNALED : mine.flags;
            mine.send(flags);
            // From departure to departure, and noted while the message travels: the clock and the histogram are
            // no part of what is measured.
            long now = System.nanoTime();
            times.recordValue(Math.min(now - last, Rig.LONGEST_NS));
            last = now;
            mine.postReceive(); // while the message travels, not before it
            receives.takeReceive();
            if (signalled) {
                mine.reclaim();
            }
        }
        sent = number;
        return last;
    }
}
