package io.verbena.verbs;

import java.lang.foreign.MemorySegment;

/**
 * Memory whose life the device controls. The segment may be sliced, registered and used from any thread until
 * {@link #close()}, which is refused with EBUSY while a region covers any of it; closing twice does nothing.
 */
public interface AllocatedMemory extends AutoCloseable {
    /**
     * The memory.
     *
     * @return a native segment that any thread may access; using it after close throws IllegalStateException
     */
    MemorySegment segment();

    /**
     * Gives the memory back.
     *
     * @throws VerbsException EBUSY while a memory region covers any of it
     */
    @Override
    void close();
}
