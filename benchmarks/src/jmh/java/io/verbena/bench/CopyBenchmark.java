package io.verbena.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What a plain copy between two off-heap buffers costs: the floor under every WRITE and READ. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class CopyBenchmark {
    /** Length in bytes; a parameter, so that the compiler doesn't know it. */
    @Param({"64", "4096", "1048576"})
    long size;

    private MemorySegment source;
    private MemorySegment target;

    /** Allocates both buffers on page boundaries. */
    @Setup
    public void allocate() {
        source = Arena.ofAuto().allocate(size, 4096);
        target = Arena.ofAuto().allocate(size, 4096);
    }

    /** One copy of the whole buffer. */
    @Benchmark
    public void copy() {
        MemorySegment.copy(source, 0, target, 0, size);
    }
}
