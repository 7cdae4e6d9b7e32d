package io.verbena.nic.direct;

import java.lang.foreign.MemorySegment;

/** Copies inline data at post time out of registered memory, whatever lkey was given. */
public interface InlineSource {
    /**
     * Whether {@link #copy} would find the bytes of a local buffer now.
     *
     * @param lkey tried first
     * @param address first byte
     * @param length bytes, 0 or more
     * @return whether they lie in one registered region
     */
    boolean covers(int lkey, long address, long length);

    /**
     * Copies the bytes of a local buffer.
     *
     * @param lkey tried first
     * @param address first byte; looked up among all regions of the domain when the lkey does not cover it
     * @param length bytes, 0 or more
     * @param target where they go
     * @param offset where in target
     * @return false when the bytes do not lie in registered memory
     */
    boolean copy(int lkey, long address, long length, MemorySegment target, long offset);
}
