package io.verbena.bench;

import io.verbena.verbs.Threading;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * One READ of 64 bytes by the asynchronous API over loopback, start to result, on one thread. Run with
 * {@code -prof gc}: the callback form allocates nothing, a future 48 bytes.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class AsyncReadBenchmark {
    private static final int SIZE = 64;

    /** Who may start operations and drive. */
    @Param({"SINGLE", "SAFE"})
    Threading threading;

    /** Whether operations are refused whose memory others use. */
    @Param({"false", "true"})
    boolean checks;

    private ReadLoop callbacks;
    private ReadLoop joins;

    /** Connects two nodes. They are not closed again: the profiler would count it to the last iteration. */
    @Setup(Level.Trial)
    public void connect() {
        AsyncPair pair = new AsyncPair("soft", threading, checks, SIZE);
        callbacks = pair.callbacks();
        joins = pair.joins();
    }

    /** The callback form. */
    @Benchmark
    @OperationsPerInvocation(ReadLoop.GROUP)
    public void callback() {
        callbacks.group(ReadLoop.GROUP);
    }

    /** A future and join. */
    @Benchmark
    @OperationsPerInvocation(ReadLoop.GROUP)
    public void join() {
        joins.group(ReadLoop.GROUP);
    }
}
