package io.verbena.bench;

import io.verbena.verbs.Threading;

/** Compares a signalled WRITE, from post to polled completion on one thread, with the copy, store and load under it. */
public final class PostPollCost {
    private static final int DEPTH = 64;
    private static final int WARM_UPS = 20;
    private static final int WARM_OPERATIONS = 50_000;

    private final CopyCostLoop copy;
    private final WriteCostLoop single;
    private final SafeWriteCostLoop safe;

    private PostPollCost(long size, Endpoint[] singles, Endpoint[] safes) {
        copy = new CopyCostLoop(size);
        single = new WriteCostLoop(singles[0], singles[1], size);
        safe = new SafeWriteCostLoop(safes[0], safes[1], size);
    }

    /**
     * What it came to: medians of the samples and of the ratios of samples taken in the same turn.
     *
     * @param size bytes of a WRITE
     * @param samples samples of each
     * @param baselineNs copy, store and load
     * @param singleNs WRITE on a single-threaded queue pair
     * @param safeNs WRITE on a thread-safe queue pair
     * @param singleRatio single-threaded by baseline
     * @param safeRatio thread-safe by baseline
     */
    public record Result(
            long size, int samples, double baselineNs, double singleNs, double safeNs, double singleRatio,
            double safeRatio) {
        /**
         * As one line of JSON.
         *
         * @return an object
         */
        public Json toJson() {
            return new Json().put("test", "post_poll").put("size", size).put("samples", samples)
                    .put("baseline_ns", baselineNs).put("single_ns", singleNs).put("safe_ns", safeNs)
                    .put("single_ratio", singleRatio).put("safe_ratio", safeRatio);
        }
    }

    /**
     * Measures.
     *
     * @param device what {@link io.verbena.verbs.Devices#open(String)} takes
     * @param size bytes of a WRITE, up to 1 MiB
     * @param operations operations of one sample
     * @param samples samples of each
     * @param progress told how far it is
     * @return the medians
     */
    public static Result run(String device, long size, int operations, int samples, Progress progress) {
        EndpointConfig end = EndpointConfig.simple(device, Rig.stride(size), DEPTH);
        EndpointConfig safeEnd = end.withThreading(Threading.SAFE);
        try (Endpoint a = new Endpoint(end); Endpoint b = new Endpoint(end);
                Endpoint safeA = new Endpoint(safeEnd); Endpoint safeB = new Endpoint(safeEnd)) {
            Endpoint.connect(a, b, PathConfig.DEFAULT);
            Endpoint.connect(safeA, safeB, PathConfig.DEFAULT);
            PostPollCost cost = new PostPollCost(size, new Endpoint[] {a, b}, new Endpoint[] {safeA, safeB});
            return cost.measure(size, operations, samples, progress);
        }
    }

    private Result measure(long size, int operations, int count, Progress progress) {
        for (int i = 0; i < WARM_UPS; i++) {
            copy.run(WARM_OPERATIONS);
            single.run(WARM_OPERATIONS);
            safe.run(WARM_OPERATIONS);
        }
        Samples copies = new Samples();
        Samples singles = new Samples();
        Samples safes = new Samples();
        for (int i = 0; i < count; i++) {
            long start = System.nanoTime();
            copy.run(operations);
            long copied = System.nanoTime();
            single.run(operations);
            long written = System.nanoTime();
            safe.run(operations);
            long end = System.nanoTime();
            copies.add((copied - start) / (double) operations);
            singles.add((written - copied) / (double) operations);
            safes.add((end - written) / (double) operations);
            progress.at("post_poll: sample " + (i + 1) + " of " + count);
        }
        return new Result(size, count, copies.median(), singles.median(), safes.median(),
                singles.medianRatio(copies), safes.medianRatio(copies));
    }
}
