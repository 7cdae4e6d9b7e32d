package io.verbena.bench;

import org.HdrHistogram.Histogram;

/**
 * What one test came to for one message size.
 *
 * @param config what was measured; its size is a single one
 * @param iterations measured iterations: round trips or operations
 * @param seconds how long they took
 * @param latency nanoseconds; what they are tells {@link PerfTest#latencyIs()}
 * @param allocatedBytes bytes of Java heap that all threads taking part allocated meanwhile in the measuring process
 * @param serverBytes the same in the server process, if there is one
 */
public record PerfResult(
        PerfConfig config, long iterations, double seconds, Percentiles latency, long allocatedBytes,
        long serverBytes) {
    private static final int WORDS = 10;

    static PerfResult of(PerfConfig config, Histogram times, Session.Totals totals) {
        return new PerfResult(config, totals.iterations(), totals.seconds(), Percentiles.of(times),
                totals.allocatedBytes(), totals.partnerBytes());
    }

    /** What {@link #toWords} gave, in the other process. */
    static PerfResult ofWords(PerfConfig config, String words) {
        String[] parts = words.split(" ");
        try {
            if (parts.length == WORDS) {
                long[] n = new long[WORDS];
                for (int i = 0; i < WORDS; i++) {
                    n[i] = Long.parseLong(parts[i]);
                }
                return new PerfResult(config.withSize(n[0]), n[1], n[2] / 1e9,
                        new Percentiles(n[3], n[4], n[5], n[6], n[7]), n[8], n[9]);
            }
        } catch (NumberFormatException e) {
            // Told below.
        }
        throw new PerfException("the client sends a result that is none: " + words);
    }

    /** As numbers for the other process. */
    String toWords() {
        return config.size() + " " + iterations + ' ' + Math.round(seconds * 1e9) + ' ' + latency.p50() + ' '
                + latency.p90() + ' ' + latency.p99() + ' ' + latency.p999() + ' ' + latency.max() + ' '
                + allocatedBytes + ' ' + serverBytes;
    }

    /**
     * Round trips or operations in a second.
     *
     * @return a rate
     */
    public double opsPerSecond() {
        return iterations / seconds;
    }

    /**
     * Payload bytes in a second; in a ping-pong one direction counts.
     *
     * @return a rate
     */
    public double bytesPerSecond() {
        return opsPerSecond() * config.size();
    }

    /**
     * Bytes of Java heap allocated for each iteration, over all threads of all processes that take part.
     *
     * @return 0 when nothing was allocated
     */
    public double allocatedBytesPerOp() {
        return (allocatedBytes + serverBytes) / (double) iterations;
    }

    /**
     * As one line of JSON.
     *
     * @return an object
     */
    public Json toJson() {
        Link link = config.path().transport().link();
        Json json = new Json()
                .put("test", config.test().label())
                .put("link", link.label())
                .put("connection", config.path().transport().label())
                .put("size", config.size())
                .put("iterations", iterations)
                .put("qps", config.queues().qps())
                .put("depth", config.queues().txDepth())
                .put("seconds", seconds);
        if (config.test().hasTimes()) {
            json.put("latency_ns", latency.toJson()).put("latency_is", config.test().latencyIs());
        }
        json.put("ops_per_second", opsPerSecond())
                .put("bytes_per_second", bytesPerSecond())
                .put("allocated_bytes_per_op", allocatedBytesPerOp());
        if (link != Link.LOOPBACK) {
            json.put("client_allocated_bytes_per_op", allocatedBytes / (double) iterations)
                    .put("server_allocated_bytes_per_op", serverBytes / (double) iterations);
        }
        return json;
    }
}
