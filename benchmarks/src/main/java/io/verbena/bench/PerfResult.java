package io.verbena.bench;

import org.HdrHistogram.Histogram;

/**
 * What one test came to for one message size.
 *
 * @param config what was measured; its size is a single one
 * @param iterations measured iterations: round trips or operations
 * @param seconds how long they took
 * @param latency nanoseconds; what they are tells {@link PerfTest#latencyIs()}
 * @param allocatedBytes bytes of Java heap that all threads taking part allocated meanwhile
 */
public record PerfResult(
        PerfConfig config, long iterations, double seconds, Percentiles latency, long allocatedBytes) {
    static PerfResult of(PerfConfig config, Histogram times, long iterations, double seconds, long allocatedBytes) {
        return new PerfResult(config, iterations, seconds, Percentiles.of(times), allocatedBytes);
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
     * Bytes of Java heap allocated for each iteration, over all threads that take part.
     *
     * @return 0 when nothing was allocated
     */
    public double allocatedBytesPerOp() {
        return allocatedBytes / (double) iterations;
    }

    /**
     * As one line of JSON.
     *
     * @return an object
     */
    public Json toJson() {
        return new Json()
                .put("test", config.test().label())
                .put("link", "loopback")
                .put("connection", config.path().transport().label())
                .put("size", config.size())
                .put("iterations", iterations)
                .put("qps", config.queues().qps())
                .put("depth", config.queues().txDepth())
                .put("seconds", seconds)
                .put("latency_ns", latency.toJson())
                .put("latency_is", config.test().latencyIs())
                .put("ops_per_second", opsPerSecond())
                .put("bytes_per_second", bytesPerSecond())
                .put("allocated_bytes_per_op", allocatedBytesPerOp());
    }
}
