package io.verbena.bench;

import org.HdrHistogram.Histogram;

/**
 * Compares the round trip of one active pair of queue pairs, alone, with that of one among many connected pairs:
 * each with completion queues of its own, and all on one completion queue of each end. Rounds take turns.
 */
public final class ScaleCost {
    /** Usual time of a round. */
    public static final double ROUND_SECONDS = 0.3;

    private static final int DEPTH = 128;
    private static final long SIZE = 64;
    private static final int RECEIVES = MessagePort.RECEIVES;
    private static final double FIRST_WARM_UP = 3;
    private static final double LATER_WARM_UP = 0.3;

    private final EndpointConfig alone;
    private final double seconds;
    private final Progress progress;
    private double warmUp;

    private ScaleCost(String device, double seconds, Progress progress) {
        this.seconds = seconds;
        this.progress = progress;
        warmUp = FIRST_WARM_UP * seconds;
        alone = EndpointConfig.simple(device, 2 * Rig.stride(SIZE), DEPTH);
    }

    /**
     * What it came to: medians over the rounds, ratios as medians of those of each round.
     *
     * @param pairs connected pairs of queue pairs
     * @param rounds rounds of each
     * @param aloneP50Ns round trip of a single pair
     * @param own many pairs, each with completion queues of its own
     * @param shared many pairs, all on one completion queue of each end
     */
    public record Result(int pairs, int rounds, double aloneP50Ns, Many own, Many shared) {
        /**
         * As one line of JSON.
         *
         * @return an object
         */
        public Json toJson() {
            return new Json().put("test", "scale").put("pairs", pairs).put("rounds", rounds)
                    .put("alone_p50_ns", aloneP50Ns).put("own_cqs", own.toJson()).put("one_cq", shared.toJson());
        }
    }

    /**
     * Figures of many pairs.
     *
     * @param setUpSeconds time to create and connect them
     * @param p50Ns round trip of the active one
     * @param ratio that by the round trip of a single pair
     */
    public record Many(double setUpSeconds, double p50Ns, double ratio) {
        private Json toJson() {
            return new Json().put("set_up_seconds", setUpSeconds).put("p50_ns", p50Ns).put("ratio", ratio);
        }
    }

    /** One measured round. */
    private record Round(double setUpSeconds, double p50Ns) {}

    /**
     * Measures.
     *
     * @param device what {@link io.verbena.verbs.Devices#open(String)} takes
     * @param pairs connected pairs of queue pairs
     * @param rounds rounds of each
     * @param seconds time of a round
     * @param progress told how far it is
     * @return the medians
     */
    public static Result run(String device, int pairs, int rounds, double seconds, Progress progress) {
        return new ScaleCost(device, seconds, progress).measure(pairs, rounds);
    }

    private Result measure(int pairs, int rounds) {
        Samples single = new Samples();
        Samples[] setUps = {new Samples(), new Samples()};
        Samples[] p50s = {new Samples(), new Samples()};
        CqLayout[] layouts = {CqLayout.OWN, CqLayout.ONE};
        for (int round = 0; round < rounds; round++) {
            single.add(round(alone, "alone").p50Ns());
            for (int i = 0; i < layouts.length; i++) {
                Round many = round(alone.withQps(pairs, layouts[i]), pairs + " pairs");
                setUps[i].add(many.setUpSeconds());
                p50s[i].add(many.p50Ns());
            }
        }
        return new Result(pairs, rounds, single.median(),
                new Many(setUps[0].median(), p50s[0].median(), p50s[0].medianRatio(single)),
                new Many(setUps[1].median(), p50s[1].median(), p50s[1].medianRatio(single)));
    }

    private Round round(EndpointConfig end, String what) {
        long start = System.nanoTime();
        try (Endpoint a = new Endpoint(end); Endpoint b = new Endpoint(end)) {
            Endpoint.connect(a, b, PathConfig.DEFAULT);
            double setUp = (System.nanoTime() - start) / 1e9;
            int active = end.qps() / 2;
            StopFlag stop = new StopFlag();
            Histogram times = Rig.histogram();
            try (Session session = new Session(stop, times,
                    () -> new SendPing(stop, new MessagePort(a, active, SIZE, RECEIVES, 0, stop), times),
                    () -> new SendPong(stop, new MessagePort(b, active, SIZE, RECEIVES, 0, stop)))) {
                session.warmUp(warmUp, progress, "scale, " + what);
                warmUp = LATER_WARM_UP * seconds;
                session.measure(RunLength.ofSeconds(seconds), progress, "scale, " + what);
            }
            return new Round(setUp, times.getValueAtPercentile(50));
        }
    }
}
