package io.verbena.bench;

import io.verbena.verbs.QueuePairCapabilities;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.Threading;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * What ibv_rc_pingpong does, with both ends in this process: two threads exchange messages over an RC connection and
 * wait for both completions, of the send and of the receive, before each next message.
 */
public final class RcPingpong {
    private static final int SENDS = 1;
    private static final double WARM_UP_SECONDS = 0.2;

    private RcPingpong() {}

    /**
     * What to do.
     *
     * @param device what {@link io.verbena.verbs.Devices#open(String)} takes
     * @param size bytes of a message
     * @param rxDepth receives posted at a time
     * @param iterations measured round trips
     * @param events whether waiting sleeps in a completion channel
     * @param validate whether the last message of each end is compared with what was sent
     * @param path how to connect
     */
    public record Config(
            String device, long size, int rxDepth, int iterations, boolean events, boolean validate,
            PathConfig path) {}

    /**
     * What it came to.
     *
     * @param config what was done
     * @param local the first end
     * @param remote the second end
     * @param seconds time of the measured round trips
     */
    public record Result(Config config, QueuePairEndpoint local, QueuePairEndpoint remote, double seconds) {
        /**
         * Bytes moved in both directions.
         *
         * @return size * iterations * 2
         */
        public long bytes() {
            return config.size() * config.iterations() * 2;
        }

        /**
         * Rate over both directions, as ibv_rc_pingpong states it.
         *
         * @return Mbit/sec
         */
        public double megabitsPerSecond() {
            return bytes() * 8.0 / seconds / 1e6;
        }

        /**
         * Time of one round trip.
         *
         * @return microseconds
         */
        public double microsPerIteration() {
            return seconds * 1e6 / config.iterations();
        }

        /**
         * As one line of JSON.
         *
         * @return an object
         */
        public Json toJson() {
            return new Json().put("test", "rc_pingpong").put("size", config.size())
                    .put("iterations", config.iterations()).put("seconds", seconds).put("bytes", bytes())
                    .put("megabits_per_second", megabitsPerSecond())
                    .put("microseconds_per_iteration", microsPerIteration())
                    .put("validated", config.validate()).put("local", toJson(local)).put("remote", toJson(remote));
        }

        private static Json toJson(QueuePairEndpoint end) {
            return new Json().put("qpn", end.qpNum()).put("psn", end.psn()).put("gid", end.gid().toString());
        }
    }

    /**
     * Runs it, after a warm-up of a fraction of a second.
     *
     * @param config what to do
     * @param progress told how far it is
     * @return the result
     * @throws PerfException when an operation fails or the data differ
     */
    public static Result run(Config config, Progress progress) {
        long stride = Rig.stride(config.size());
        EndpointConfig end = new EndpointConfig(config.device(), 2 * stride, 1,
                new QueuePairCapabilities(SENDS, config.rxDepth(), 1, 1, 0), CqLayout.ONE, config.events(),
                Threading.SINGLE);
        try (Endpoint a = new Endpoint(end); Endpoint b = new Endpoint(end)) {
            QueuePairEndpoint local = a.describe(0, config.path());
            QueuePairEndpoint remote = b.describe(0, config.path());
            a.connect(0, local, remote, config.path());
            b.connect(0, remote, local, config.path());
            if (config.validate()) {
                fill(outgoing(a, config), 1);
                fill(outgoing(b, config), 2);
            }
            double seconds = exchange(config, a, b, progress);
            if (config.validate()) {
                compare(outgoing(a, config), incoming(b, config));
                compare(outgoing(b, config), incoming(a, config));
            }
            return new Result(config, local, remote, seconds);
        }
    }

    private static double exchange(Config config, Endpoint a, Endpoint b, Progress progress) {
        StopFlag stop = new StopFlag();
        try (Session session = new Session(stop, Rig.histogram(), () -> new RcPingpongSide(stop, a, config, true),
                () -> new RcPingpongSide(stop, b, config, false))) {
            session.warmUp(WARM_UP_SECONDS, progress, "pingpong");
            return session.measure(RunLength.ofIterations(config.iterations()), progress, "pingpong").seconds();
        }
    }

    private static MemorySegment outgoing(Endpoint end, Config config) {
        return end.region().segment().asSlice(0, config.size());
    }

    private static MemorySegment incoming(Endpoint end, Config config) {
        return end.region().segment().asSlice(Rig.stride(config.size()), config.size());
    }

    private static void fill(MemorySegment buffer, int seed) {
        for (long i = 0; i < buffer.byteSize(); i++) {
            buffer.set(ValueLayout.JAVA_BYTE, i, (byte) (31 * i + (i >>> 12) + seed));
        }
    }

    private static void compare(MemorySegment sent, MemorySegment received) {
        long position = sent.mismatch(received);
        if (position >= 0) {
            throw new PerfException("invalid data in byte " + position + " of a message of " + sent.byteSize());
        }
    }
}
