package io.verbena.bench;

import io.verbena.LocalMemory;
import io.verbena.RdmaConnection;
import io.verbena.RemoteMemory;
import org.HdrHistogram.Histogram;

/** async_read_lat: READs of idle memory by futures, one after another, timed in groups. */
final class AsyncReader extends Side {
    private final RdmaConnection connection;
    private final LocalMemory memory;
    private final RemoteMemory remote;
    private final Histogram histogram;

    AsyncReader(StopFlag stop, RdmaConnection connection, LocalMemory memory, RemoteMemory remote,
            Histogram histogram) {
        super(stop);
        this.connection = connection;
        this.memory = memory;
        this.remote = remote;
        this.histogram = histogram;
    }

    @Override
    public void run(long count) {
        for (long left = count; left > 0; left -= BATCH) {
            batch((int) Math.min(left, BATCH));
        }
    }

    private void batch(int count) {
        for (int i = 0; i < count; i += GROUP) {
            int together = Math.min(GROUP, count - i);
            long start = System.nanoTime();
            for (int j = 0; j < together; j++) {
                connection.read(memory, remote).join();
            }
            histogram.recordValue(Math.min((System.nanoTime() - start) / together, Rig.LONGEST_NS));
        }
    }
}
