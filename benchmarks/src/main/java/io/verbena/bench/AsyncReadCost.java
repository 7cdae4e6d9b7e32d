package io.verbena.bench;

import io.verbena.verbs.Threading;
import java.util.ArrayList;
import java.util.List;

/**
 * Compares a READ by the asynchronous API, from start to result on one thread, with one by verbs in the same mode,
 * from post to polled completion.
 */
public final class AsyncReadCost {
    /** Parts of a nanosecond that are told apart. */
    static final int FRACTION = 100;

    private static final int DEPTH = 128;
    private static final int WARM_UPS = 12;
    private static final int WARM_OPERATIONS = 50_000;

    /** All ways, verbs first. */
    private static final List<Way> WAYS = List.of(
            new Way("verbs", "verbs, post + poll", Double.NaN, Double.NaN),
            new Way("callback", "callback, no ownership checks", 1.5, 0.01),
            new Way("checked_callback", "callback, ownership checks", 2.5, 0.01),
            new Way("join", "future and join(), no ownership checks", 4, 100),
            new Way("checked_join", "future and join(), ownership checks", 4, 100));

    private AsyncReadCost() {}

    /**
     * One way to READ.
     *
     * @param label what machines read
     * @param title what people read
     * @param limit most times the READ by verbs that is the goal; NaN for no goal
     * @param mostBytes most bytes of heap for each READ that is the goal; NaN for no goal
     */
    public record Way(String label, String title, double limit, double mostBytes) {
        /**
         * Whether there is something to reach.
         *
         * @return false for verbs
         */
        public boolean isGoal() {
            return !Double.isNaN(limit);
        }
    }

    /**
     * What one way came to.
     *
     * @param way which
     * @param ns time of a READ, median over samples of the medians of means of 32
     * @param ratio median of the ratios by verbs in the same turn
     * @param p50 median of means of 32 READs
     * @param p99 of a hundred such means the longest
     * @param p999 of a thousand such means the longest
     * @param bytes heap allocated by each READ
     */
    public record Row(Way way, double ns, double ratio, double p50, double p99, double p999, double bytes) {
        /**
         * Whether it reaches its goals.
         *
         * @return false also if only one is missed
         */
        public boolean isMet() {
            return !(ratio > way.limit) && !(bytes > way.mostBytes);
        }
    }

    /**
     * What it came to.
     *
     * @param threading mode of all queue pairs
     * @param size bytes of a READ
     * @param samples samples of each way, taken in turns
     * @param rows verbs first
     */
    public record Result(Threading threading, long size, int samples, List<Row> rows) {
        /**
         * As one line of JSON.
         *
         * @return an object
         */
        public Json toJson() {
            Json json = new Json().put("test", "async_read").put("threading", threading.name()).put("size", size)
                    .put("samples", samples);
            for (Row row : rows) {
                String label = row.way.label;
                json.put(label + "_ns", row.ns).put(label + "_ratio", row.ratio).put(label + "_p50_ns", row.p50)
                        .put(label + "_p99_ns", row.p99).put(label + "_p999_ns", row.p999)
                        .put(label + "_bytes_per_op", row.bytes);
            }
            return json;
        }
    }

    /**
     * Measures.
     *
     * @param device what {@link io.verbena.verbs.Devices#open(String)} takes
     * @param threading mode of all queue pairs
     * @param size bytes of a READ, up to 1 MiB
     * @param operations operations of one sample
     * @param samples samples of each way
     * @param progress told how far it is
     * @return the medians
     */
    public static Result run(
            String device, Threading threading, long size, int operations, int samples, Progress progress) {
        EndpointConfig end = EndpointConfig.simple(device, Rig.stride(size), DEPTH).withThreading(threading);
        try (Endpoint a = new Endpoint(end); Endpoint b = new Endpoint(end);
                AsyncPair unchecked = new AsyncPair(device, threading, false, size);
                AsyncPair checked = new AsyncPair(device, threading, true, size)) {
            Endpoint.connect(a, b, PathConfig.DEFAULT);
            List<ReadLoop> loops = List.of(new VerbsReadLoop(a, b, size), unchecked.callbacks(), checked.callbacks(),
                    unchecked.joins(), checked.joins());
            return new Result(threading, size, samples, measure(loops, operations, samples, progress));
        }
    }

    private static List<Row> measure(List<ReadLoop> loops, int operations, int count, Progress progress) {
        for (int i = 0; i < WARM_UPS; i++) {
            for (ReadLoop loop : loops) {
                loop.warmUp(WARM_OPERATIONS);
            }
        }
        for (int i = 0; i < count; i++) {
            for (ReadLoop loop : loops) {
                loop.sample(operations);
            }
            progress.at("async_read: sample " + (i + 1) + " of " + count);
        }
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < loops.size(); i++) {
            ReadLoop loop = loops.get(i);
            Percentiles times = Percentiles.of(loop.times());
            rows.add(new Row(WAYS.get(i), loop.medians().median(),
                    loop.medians().medianRatio(loops.getFirst().medians()),
                    times.p50() / (double) FRACTION, times.p99() / (double) FRACTION, times.p999() / (double) FRACTION,
                    loop.bytesPerOperation()));
        }
        return rows;
    }
}
