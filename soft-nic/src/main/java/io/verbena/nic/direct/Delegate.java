package io.verbena.nic.direct;

import java.lang.foreign.MemorySegment;

/**
 * The owner of a peer in another process, as somebody who executes requests that can't be executed from here. Used by
 * the holder of the send queue, for one request at a time; waits for nobody.
 */
public interface Delegate {
    /**
     * Memory to write a request into that the owner reads, see {@link DelegatedRequest}.
     *
     * @param bytes its payload
     * @return memory that stays until the next call here; null when there is none to be had now
     */
    MemorySegment room(long bytes);

    /** Tells the owner that there is a request. */
    void ask();

    /** The answer has come and is of no more use: lets go of what is too much to keep. */
    void done();
}
