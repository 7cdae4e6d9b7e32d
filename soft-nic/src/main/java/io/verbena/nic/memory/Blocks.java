package io.verbena.nic.memory;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongFunction;

/**
 * The blocks that one object has taken from its NIC's {@link BlockPool}, to be given back all at once when nobody can
 * touch them any more. The caller serialises all calls.
 */
public final class Blocks {
    private final LongFunction<MemorySegment> source;
    private final Consumer<MemorySegment> sink;
    private final List<MemorySegment> taken = new ArrayList<>();

    /**
     * Has taken nothing yet.
     *
     * @param source gives zeroed memory of so many bytes, aligned to {@link BlockPool#ALIGNMENT}
     * @param sink takes it back
     */
    public Blocks(LongFunction<MemorySegment> source, Consumer<MemorySegment> sink) {
        this.source = source;
        this.sink = sink;
    }

    /** Takes a zeroed block of at least so many bytes. */
    public MemorySegment take(long bytes) {
        MemorySegment block = source.apply(bytes);
        taken.add(block);
        return block;
    }

    /** Gives everything back; no thread may touch it any more. */
    public void giveAll() {
        taken.forEach(sink);
        taken.clear();
    }
}
