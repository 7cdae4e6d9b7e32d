package io.verbena.bench;

import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.SendFlags;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.HdrHistogram.Histogram;

/**
 * The first side of read_fresh_lat: asks the other end to write its buffers, is told that it has, then reads them and
 * records the mean time from post to completion. Both say so by WRITEs of 8 bytes, which are not timed.
 */
final class FreshReader extends Side {
    private static final int STEP = 11;

    private final WritePort port;
    private final QueuePair qp;
    private final Waiter sends;
    private final MemorySegment memory;
    private final long size;
    private final long at;
    private final int lkey;
    private final long remoteAt;
    private final int rkey;
    private final long stride;
    private final Histogram histogram;
    private int asked;

    FreshReader(StopFlag stop, Endpoint own, PeerMemory peer, long size, Histogram histogram) {
        super(stop);
        port = new WritePort(own, peer, FreshWriter.NOTE_BYTES, 0, stop);
        qp = own.qp(0);
        sends = own.sends(0, stop);
        memory = own.region().segment();
        at = own.region().address() + FreshWriter.BUFFER_AT;
        lkey = own.region().lkey();
        remoteAt = peer.address() + FreshWriter.BUFFER_AT;
        rkey = peer.rkey();
        this.size = size;
        stride = Rig.stride(size);
        this.histogram = histogram;
    }

    @Override
    public void run(long count) {
        for (long left = count; left > 0; left -= BATCH) {
            batch((int) Math.min(left, BATCH));
        }
    }

    private void batch(int count) {
        WritePort mine = port;
        Histogram times = histogram;
        int number = asked;
        for (int i = 0; i < count; i += GROUP) {
            mine.write(++number);
            int idle = 0;
            while (!mine.arrived(number)) {
                Thread.onSpinWait();
                if (++idle == HINTED_LOOKS) {
                    idle = mine.drive(this, number);
                }
            }
            mine.reclaim(number);
            read((byte) number, Math.min(GROUP, count - i), times);
        }
        asked = number;
    }

    /** Reads some of the buffers, one after another but not in their order, which prefetching would make use of. */
    private void read(byte expected, int count, Histogram times) {
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            long offset = (i * STEP & GROUP - 1) * stride;
            int status = qp.postRead(0, at + offset, size, lkey, remoteAt + offset, rkey, SendFlags.SIGNALED);
            if (status != PostStatus.OK) {
                throw PerfException.refused("a READ", status);
            }
            sends.take();
        }
        times.recordValue(Math.min((System.nanoTime() - start) / count, Rig.LONGEST_NS));
        for (int i = 0; i < count; i++) {
            long last = FreshWriter.BUFFER_AT + (i * STEP & GROUP - 1) * stride + size - 1;
            if (memory.get(ValueLayout.JAVA_BYTE, last) != expected) {
                throw new PerfException("a READ brought what was there before the other end wrote");
            }
        }
    }
}
