package io.verbena.bench;

import java.nio.file.Path;
import org.HdrHistogram.Histogram;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;

/** One process's half of ring_bw: an Agrona ring buffer in a file that both map. */
final class RingHalf implements Half {
    static {
        AgronaChecks.off();
    }

    private static final int CAPACITY = 1 << 17;
    private static final int BYTES = CAPACITY + RingBufferDescriptor.TRAILER_LENGTH;

    private final int size;
    private final boolean first;

    RingHalf(PerfConfig config, boolean first) {
        size = (int) config.size();
        this.first = first;
    }

    @Override
    public String describe() {
        return first ? "-" : SharedFile.RING.offer(BYTES).toString();
    }

    @Override
    public void join(String other) {
        if (first) {
            SharedFile.RING.take(Path.of(other), BYTES);
        }
    }

    @Override
    public void settle(ControlChannel channel) {
        if (first) {
            channel.send("MAPPED");
        } else {
            channel.expect("MAPPED", ControlChannel.ANSWER_MS);
            SharedFile.RING.removeName();
        }
    }

    @Override
    public Side.Maker side(StopFlag stop, Histogram times) {
        OneToOneRingBuffer ring = new OneToOneRingBuffer(
                new UnsafeBuffer(SharedFile.RING.memory().address(), BYTES));
        return first ? () -> new Writer(stop, ring, size) : () -> new Reader(stop, ring, size);
    }

    /** Writes messages as fast as there is room, and waits until the last one is read. */
    private static final class Writer extends Side {
        private final OneToOneRingBuffer ring;
        private final int size;
        private final UnsafeBuffer message;

        Writer(StopFlag stop, OneToOneRingBuffer ring, int size) {
            super(stop);
            this.ring = ring;
            this.size = size;
            message = new UnsafeBuffer(new byte[size]);
        }

        @Override
        public void run(long count) {
            for (long left = count; left > 0; left -= BATCH) {
                batch((int) Math.min(left, BATCH));
            }
            while (ring.consumerPosition() != ring.producerPosition()) {
                giveWay();
            }
        }

        private void batch(int count) {
            int idle = 0;
            for (int i = 0; i < count; i++) {
                while (!ring.write(1, message, 0, size)) {
                    Thread.onSpinWait();
                    if (++idle == PATIENCE) {
                        idle = giveWay();
                    }
                }
            }
        }
    }

    /** Reads messages and copies them out. */
    private static final class Reader extends Side {
        private final OneToOneRingBuffer ring;
        private final MessageHandler copying;

        Reader(StopFlag stop, OneToOneRingBuffer ring, int size) {
            super(stop);
            this.ring = ring;
            UnsafeBuffer copy = new UnsafeBuffer(new byte[size]);
            copying = (type, buffer, at, length) -> copy.putBytes(0, buffer, at, length);
        }

        @Override
        public void run(long count) {
            int idle = 0;
            long left = count;
            while (left > 0) {
                int read = ring.read(copying, BATCH);
                left -= read;
                if (read > 0) {
                    idle = 0;
                } else {
                    Thread.onSpinWait();
                    if (++idle == PATIENCE) {
                        idle = giveWay();
                    }
                }
            }
        }
    }

    @Override
    public void close() {
        // The memory stays for the next size.
    }
}
