package io.verbena.bench;

import io.verbena.verbs.Context;
import io.verbena.verbs.Devices;
import org.HdrHistogram.Histogram;

/**
 * What many connected pairs of queue pairs cost: the time to set them up, the memory of each, and the round trip of one
 * active pair among them against that of the same pair alone. Each pair has completion queues of its own, or all share
 * those of their end. Rounds take turns.
 */
public final class ScaleCost {
    /** Usual time of a round. */
    public static final double ROUND_SECONDS = 0.3;
    /** Usual number of pairs. */
    public static final int PAIRS = 10_000;
    /** Work requests of a queue pair in each direction. */
    public static final OptionRange DEPTH = new OptionRange("-t", 2, 16_384, "work requests in each direction");
    /** Usual depth. */
    public static final int USUAL_DEPTH = 16;

    private static final long SIZE = 64;
    private static final double FIRST_WARM_UP = 3;
    private static final double LATER_WARM_UP = 0.3;

    private final EndpointConfig alone;
    private final double seconds;
    private final Progress progress;
    private double warmUp;

    private ScaleCost(String device, int depth, double seconds, Progress progress) {
        this.seconds = seconds;
        this.progress = progress;
        warmUp = FIRST_WARM_UP * seconds;
        alone = EndpointConfig.simple(device, 2 * Rig.stride(SIZE), depth);
    }

    /**
     * What it came to: medians over the rounds, of memory off the heap the most; ratios as medians of those of each
     * round.
     *
     * @param pairs connected pairs of queue pairs
     * @param depth sends and receives that each queue pair can hold
     * @param rounds rounds of each
     * @param aloneP50Ns round trip of a single pair
     * @param own many pairs, each with completion queues of its own
     * @param shared many pairs that share completion queues: one an end, or as many as it takes to hold all completions
     */
    public record Result(int pairs, int depth, int rounds, double aloneP50Ns, Many own, Many shared) {
        /**
         * As one line of JSON.
         *
         * @return an object
         */
        public Json toJson() {
            return new Json().put("test", "scale").put("pairs", pairs).put("qps", 2 * pairs).put("depth", depth)
                    .put("rounds", rounds).put("alone_p50_ns", aloneP50Ns)
                    .put("own_cqs", own.toJson()).put("shared_cqs", shared.toJson());
        }
    }

    /**
     * Figures of many pairs.
     *
     * @param cqs completion queues of both ends
     * @param setUpSeconds time to create and connect everything
     * @param p50Ns round trip of the active one
     * @param ratio that by the round trip of a single pair
     * @param perQp memory of one connected queue pair, without its completion queues
     * @param perCq memory of one completion queue
     */
    public record Many(int cqs, double setUpSeconds, double p50Ns, double ratio, Memory perQp, Memory perCq) {
        private Json toJson() {
            return new Json().put("cqs", cqs).put("set_up_seconds", setUpSeconds).put("p50_ns", p50Ns)
                    .put("ratio", ratio).put("heap_bytes_per_qp", perQp.heap)
                    .put("off_heap_bytes_per_qp", perQp.offHeap).put("heap_bytes_per_cq", perCq.heap)
                    .put("off_heap_bytes_per_cq", perCq.offHeap);
        }
    }

    /**
     * Memory of one object.
     *
     * @param heap bytes on the heap
     * @param offHeap bytes off the heap
     */
    public record Memory(double heap, double offHeap) {}

    /** The rounds of one layout. */
    private static final class Rounds {
        private final Samples setUps = new Samples();
        private final Samples p50s = new Samples();
        private final Samples heapPerQp = new Samples();
        private final Samples heapPerCq = new Samples();
        private int cqs;

        void add(ScaleRig rig, double p50Ns) {
            cqs = rig.cqs();
            setUps.add(rig.setUpSeconds());
            p50s.add(p50Ns);
            heapPerQp.add(rig.perQp().heap());
            heapPerCq.add(rig.perCq().heap());
        }

        Many result(Samples single, double offHeapPerQp, double offHeapPerCq) {
            return new Many(cqs, setUps.median(), p50s.median(), p50s.medianRatio(single),
                    new Memory(heapPerQp.median(), offHeapPerQp), new Memory(heapPerCq.median(), offHeapPerCq));
        }
    }

    /**
     * Measures.
     *
     * @param device what {@link io.verbena.verbs.Devices#open(String)} takes
     * @param pairs connected pairs of queue pairs
     * @param depth sends and receives that each queue pair can hold
     * @param rounds rounds of each
     * @param seconds time of a round
     * @param progress told how far it is
     * @return the medians
     */
    public static Result run(String device, int pairs, int depth, int rounds, double seconds, Progress progress) {
        return new ScaleCost(device, depth, seconds, progress).measure(pairs, depth, rounds);
    }

    private Result measure(int pairs, int depth, int rounds) {
        Samples single = new Samples();
        Rounds own = new Rounds();
        Rounds shared = new Rounds();
        // The most of all rounds: a device that is closed leaves its memory to the next one, which then takes none.
        double offHeapPerQp = 0;
        double offHeapPerCq = 0;
        for (int round = 1; round <= rounds; round++) {
            String where = "scale, round " + round + " of " + rounds + ", ";
            try (ScaleRig rig = open(alone, where + "alone")) {
                single.add(p50(rig, where + "alone"));
            }
            for (CqLayout layout : new CqLayout[] {CqLayout.OWN, CqLayout.ONE}) {
                String what = where + pairs + " pairs, " + (layout == CqLayout.OWN ? "own" : "shared") + " queues";
                try (ScaleRig rig = open(alone.withQps(pairs, layout), what)) {
                    (layout == CqLayout.OWN ? own : shared).add(rig, p50(rig, what));
                    offHeapPerQp = Math.max(offHeapPerQp, rig.perQp().offHeap());
                    offHeapPerCq = Math.max(offHeapPerCq, rig.perCq().offHeap());
                }
            }
        }
        return new Result(pairs, depth, rounds, single.median(), own.result(single, offHeapPerQp, offHeapPerCq),
                shared.result(single, offHeapPerQp, offHeapPerCq));
    }

    private ScaleRig open(EndpointConfig end, String what) {
        progress.at(what + ": setting up");
        // Held while the ends come and go, so that what the device itself needs is not counted as theirs.
        Context device = Devices.open(end.device());
        try {
            return new ScaleRig(device, end);
        } catch (RuntimeException e) {
            device.close();
            throw e;
        }
    }

    private double p50(ScaleRig rig, String what) {
        StopFlag stop = new StopFlag();
        Histogram times = Rig.histogram();
        int receives = Math.min(MessagePort.RECEIVES, rig.depth() - 1);
        try (Session session = new Session(stop, times,
                () -> new SendPing(stop, new MessagePort(rig.a(), rig.active(), SIZE, receives, 0, stop), times),
                () -> new SendPong(stop, new MessagePort(rig.b(), rig.active(), SIZE, receives, 0, stop)))) {
            session.warmUp(warmUp, progress, what);
            warmUp = LATER_WARM_UP * seconds;
            session.measure(RunLength.ofSeconds(seconds), progress, what);
        }
        return times.getValueAtPercentile(50);
    }
}
