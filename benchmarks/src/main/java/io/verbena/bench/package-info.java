/**
 * Measures verbs in the manner of perftest, over any provider and path.
 *
 * <p>{@link io.verbena.bench.PerfConfig} says what to measure, {@link io.verbena.bench.PerfRunner} does it and hands
 * out one {@link io.verbena.bench.PerfResult} for each message size. What is timed sits in one small class for each
 * test ({@code SendPing}, {@code WritePing}, {@code ReadLatency} ...), in plain code that allocates nothing. The
 * comparisons with plain copies and with many connections ({@link io.verbena.bench.PostPollCost},
 * {@link io.verbena.bench.BulkCost}, {@link io.verbena.bench.ScaleCost}) interleave both sides in one run.
 */
package io.verbena.bench;
