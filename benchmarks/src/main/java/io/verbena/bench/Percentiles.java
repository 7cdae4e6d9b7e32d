package io.verbena.bench;

import org.HdrHistogram.Histogram;

/**
 * A distribution of times in nanoseconds.
 *
 * @param p50 median
 * @param p90 9 in 10 are not longer
 * @param p99 99 in 100 are not longer
 * @param p999 999 in 1000 are not longer
 * @param max the longest
 */
public record Percentiles(long p50, long p90, long p99, long p999, long max) {
    /** Reads them from a histogram. */
    static Percentiles of(Histogram times) {
        return new Percentiles(times.getValueAtPercentile(50), times.getValueAtPercentile(90),
                times.getValueAtPercentile(99), times.getValueAtPercentile(99.9), times.getMaxValue());
    }

    /**
     * As a JSON object.
     *
     * @return with a field for each component
     */
    public Json toJson() {
        return new Json().put("p50", p50).put("p90", p90).put("p99", p99).put("p999", p999).put("max", max);
    }
}
