package io.verbena.bench;

import io.verbena.LocalMemory;
import io.verbena.RdmaConnection;
import io.verbena.RdmaFuture;
import io.verbena.ReceivedMessage;
import org.HdrHistogram.Histogram;

/** The first side of async_lat: sends a message, waits for the answer, records the round trip. */
final class AsyncPing extends Side {
    private final RdmaConnection connection;
    private final LocalMemory memory;
    private final Histogram histogram;

    AsyncPing(StopFlag stop, RdmaConnection connection, LocalMemory memory, Histogram histogram) {
        super(stop);
        this.connection = connection;
        this.memory = memory;
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
        long last = begin;
        for (int i = 0; i < count; i++) {
            RdmaFuture<Void> sent = connection.send(memory);
            // From departure to departure, as for verbs.
            long now = System.nanoTime();
            histogram.recordValue(Math.min(now - last, Rig.LONGEST_NS));
            last = now;
            try (ReceivedMessage answer = connection.receive().join()) {
                require(answer.length() == memory.length());
            }
            sent.join();
        }
        return last;
    }

    static void require(boolean right) {
        if (!right) {
            throw new PerfException("a message of another length has arrived");
        }
    }
}
