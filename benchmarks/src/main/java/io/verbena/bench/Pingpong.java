package io.verbena.bench;

import io.verbena.verbs.QueuePairCapabilities;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.Threading;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What ibv_rc_pingpong, ibv_uc_pingpong, ibv_ud_pingpong and ibv_srq_pingpong do, with both ends in this process or
 * one: two threads exchange messages and wait for both completions, of the send and of the receive, before each next
 * message of a queue pair.
 */
public final class Pingpong {
    private static final int SENDS = 1;
    private static final double WARM_UP_SECONDS = 0.2;

    private Pingpong() {}

    /**
     * What to do.
     *
     * @param device what {@link io.verbena.verbs.Devices#open(String)} takes
     * @param size bytes of a message
     * @param rxDepth receives posted at a time
     * @param iterations measured round trips of all queue pairs together
     * @param qps queue pairs, each with a message of its own under way
     * @param waiting how to wait, and whether to look at what came
     * @param path how to connect
     */
    public record Config(
            String device, long size, int rxDepth, int iterations, int qps, Waiting waiting, PathConfig path) {
        /**
         * The name of the original program.
         *
         * @return for example {@code rc_pingpong}
         */
        public String program() {
            String service = path.transport().srq() ? "srq" : path.transport().type().name();
            return service.toLowerCase(Locale.ROOT) + "_pingpong";
        }

        /**
         * The same with other messages.
         *
         * @param newSize bytes of a message
         * @return a changed copy
         */
        public Config withSize(long newSize) {
            return new Config(device, newSize, rxDepth, iterations, qps, waiting, path);
        }

        /** Room of one received message. */
        long room() {
            return size + path.transport().headerBytes();
        }
    }

    /**
     * What happens besides the exchange.
     *
     * @param events whether waiting sleeps in a completion channel
     * @param validate whether the last message of each end is compared with what was sent
     */
    public record Waiting(boolean events, boolean validate) {}

    /**
     * What it came to.
     *
     * @param config what was done
     * @param local the queue pairs of the first end
     * @param remote those of the second end
     * @param seconds time of the measured round trips
     */
    public record Result(
            Config config, List<QueuePairEndpoint> local, List<QueuePairEndpoint> remote, double seconds) {
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
            return new Json().put("test", config.program()).put("size", config.size())
                    .put("iterations", config.iterations())
                    .put("queue_pairs", config.qps()).put("seconds", seconds).put("bytes", bytes())
                    .put("megabits_per_second", megabitsPerSecond())
                    .put("microseconds_per_iteration", microsPerIteration())
                    .put("validated", config.waiting().validate()).put("local", toJson(local.getFirst()))
                    .put("remote", toJson(remote.getFirst()));
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
        EndpointConfig end = endpointConfig(config);
        try (Endpoint a = new Endpoint(end); Endpoint b = new Endpoint(end)) {
            List<QueuePairEndpoint> local = new ArrayList<>();
            List<QueuePairEndpoint> remote = new ArrayList<>();
            for (int i = 0; i < config.qps(); i++) {
                local.add(a.describe(i, config.path()));
                remote.add(b.describe(i, config.path()));
                a.connect(i, local.get(i), remote.get(i), config.path());
                b.connect(i, remote.get(i), local.get(i), config.path());
            }
            prepare(config, a, true);
            prepare(config, b, false);
            StopFlag stop = new StopFlag();
            double seconds;
            try (Session session = new Session(stop, Rig.histogram(), () -> new PingpongSide(stop, a, config, true),
                    () -> new PingpongSide(stop, b, config, false))) {
                seconds = measure(config, session, progress);
            }
            check(config, a, true);
            check(config, b, false);
            return new Result(config, local, remote, seconds);
        }
    }

    /**
     * Does one half, when the other one is in another process: the client times it and tells the server.
     *
     * @param config what to do
     * @param meeting with the other process
     * @param progress told how far it is
     * @return the result, as seen from here
     * @throws PerfException when an operation fails or the data differ, or the other process fails or ends too early
     */
    public static Result run(Config config, Meeting meeting, Progress progress) {
        meeting.agree(Agreement.of(config));
        return meeting.isServer() ? serve(config, meeting, progress) : ask(config, meeting, progress);
    }

    private static Result ask(Config config, Meeting meeting, Progress progress) {
        PingpongHalf[] half = new PingpongHalf[1];
        double seconds;
        try (ClientRig rig = new ClientRig(
                () -> half[0] = new PingpongHalf(config, true), config.size(), false, meeting)) {
            seconds = rig.attempt(() -> measure(config, rig.session(), progress));
        }
        meeting.channel().send(TestServer.END + ' ' + seconds);
        return new Result(config, half[0].ends(), half[0].others(), seconds);
    }

    private static Result serve(Config config, Meeting meeting, Progress progress) {
        PingpongHalf[] half = new PingpongHalf[1];
        TestServer server = new TestServer((size, hint) -> half[0] = new PingpongHalf(config, false), meeting,
                () -> progress.at("pingpong: serving"));
        String seconds = server.serve(words -> { });
        try {
            return new Result(config, half[0].ends(), half[0].others(), Double.parseDouble(seconds));
        } catch (NumberFormatException | NullPointerException e) {
            throw new PerfException("the client ended without a result");
        }
    }

    /** What each end is made from. */
    static EndpointConfig endpointConfig(Config config) {
        long stride = Math.max(1, Rig.stride(config.room())); // memory of no bytes can't be had
        Transport transport = config.path().transport();
        int receives = transport.srq() ? (config.rxDepth() + config.qps() - 1) / config.qps() : config.rxDepth();
        return new EndpointConfig(config.device(), 2 * stride, config.qps(),
                new QueuePairCapabilities(SENDS, receives, 1, 1, 0), new Sharing(CqLayout.ONE, transport),
                config.waiting().events(), Threading.SINGLE);
    }

    private static double measure(Config config, Session session, Progress progress) {
        session.warmUp(WARM_UP_SECONDS, progress, "pingpong");
        return session.measure(RunLength.ofIterations(config.iterations()), progress, "pingpong").seconds();
    }

    /** Fills what will be sent, if it will be looked at. */
    static void prepare(Config config, Endpoint end, boolean first) {
        if (config.waiting().validate()) {
            data(config).fill(outgoing(end, config), first);
        }
    }

    /** Looks at what came, if wanted. */
    static void check(Config config, Endpoint end, boolean first) {
        if (config.waiting().validate()) {
            data(config).check(incoming(end, config), !first);
        }
    }

    private static PingpongData data(Config config) {
        return PingpongData.of(config.path().transport().link());
    }

    private static MemorySegment outgoing(Endpoint end, Config config) {
        return end.region().segment().asSlice(0, config.size());
    }

    private static MemorySegment incoming(Endpoint end, Config config) {
        return end.region().segment().asSlice(
                Rig.stride(config.room()) + config.path().transport().headerBytes(), config.size());
    }
}
