package io.verbena.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The floor under a WRITE of post and poll: a copy of variable length, one release store, one acquire load. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class WriteFloorBenchmark {
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();
    private static final long ROOM = 1L << 20;
    private static final MemorySegment MEMORY = Arena.global().allocate(2 * ROOM + 256, 4_096);

    /** Bytes; a parameter, so that the compiler doesn't know it. */
    @Param({"64"})
    long size;

    private long sequence;

    /**
     * Copies, publishes, looks.
     *
     * @return what the acquire load saw
     */
    @Benchmark
    public long copyStoreLoad() {
        MemorySegment.copy(MEMORY, 0, MEMORY, ROOM, size);
        LONG.setRelease(MEMORY, 2 * ROOM, ++sequence);
        return (long) LONG.getAcquire(MEMORY, 2 * ROOM + 128);
    }
}
