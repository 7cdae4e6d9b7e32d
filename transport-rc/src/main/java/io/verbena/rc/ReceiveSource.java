package io.verbena.rc;

/**
 * Posted receives as the engine sees them: those of the queue pair, or of a shared receive queue. A receive that was
 * taken stays as it is, in memory that only the NIC writes, until {@link CompletionSink#receiveEnded} was called for
 * it. Called by the thread that drives the engine; nothing here blocks, allocates or throws.
 */
public interface ReceiveSource {
    /** No receive. */
    long NONE = -1;
    /** The oldest receive is too short. */
    long TOO_SHORT = -2;

    /**
     * Whether a receive could be taken now; others may take it first when the queue is shared.
     *
     * @return true when one is posted
     */
    boolean hasReceive();

    /**
     * Takes the oldest posted receive if a datagram fits it.
     *
     * @param bytes of the datagram with its header area
     * @return its handle, {@link #NONE}, or {@link #TOO_SHORT}; then it is still posted
     */
    long takeFitting(long bytes);

    /**
     * Takes the oldest posted receive.
     *
     * @return its handle, or {@link #NONE}
     */
    long take();

    /**
     * Receives posted and not taken, for credits; an estimate.
     *
     * @return 0 or more; -1 for a shared queue, whose receives nobody is promised
     */
    long available();

    /** Bytes of all buffers of a receive. */
    long totalBytes(long receive);

    /** The number of buffers of a receive. */
    int bufferCount(long receive);

    /** Where the first buffer of a receive is described, see {@link Sge}. */
    long buffers(long receive);
}
