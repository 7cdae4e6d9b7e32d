package io.verbena.bench;

import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePair;
import org.HdrHistogram.Histogram;

/**
 * One thread does one operation after another and records the time from post to polled completion. A subclass for
 * each operation posts it; a run loads one of them only, so that the call is inlined.
 */
abstract class CompletionLatency extends Side {
    /** Local memory. */
    protected final long address;
    /** Its key. */
    protected final int lkey;
    /** The peer's memory. */
    protected final long remoteAddress;
    /** Its key. */
    protected final int rkey;
    /** Bytes of one operation. */
    protected final long size;

    private final QueuePair qp;
    private final Waiter sends;
    private final Histogram histogram;
    private final int group;

    /** Records the mean of each so many operations: the clock takes longer than many an operation. */
    CompletionLatency(StopFlag stop, Endpoint own, PeerMemory peer, long size, int group, Histogram histogram) {
        super(stop);
        this.group = group;
        this.size = size;
        this.histogram = histogram;
        qp = own.qp(0);
        sends = own.sends(0, stop);
        address = own.region().address();
        lkey = own.region().lkey();
        remoteAddress = peer.address();
        rkey = peer.rkey();
    }

    /** Posts one signalled operation. */
    abstract int post(QueuePair to);

    @Override
    public void run(long count) {
        for (long left = count; left > 0; left -= BATCH) {
            batch((int) Math.min(left, BATCH));
        }
    }

    private void batch(int count) {
        QueuePair mine = qp;
        Waiter waiter = sends;
        Histogram times = histogram;
        int most = group;
        for (int i = 0; i < count; i += most) {
            int together = Math.min(most, count - i);
            long start = System.nanoTime();
            for (int j = 0; j < together; j++) {
                int status = post(mine);
                if (status != PostStatus.OK) {
                    throw PerfException.refused("an operation", status);
                }
                waiter.take();
            }
            times.recordValue(Math.min((System.nanoTime() - start) / together, Rig.LONGEST_NS));
        }
    }
}
