package io.verbena;

/** An allocation that the pool's bound, or the device, did not leave room for. */
public final class MemoryExhaustedException extends RdmaException {
    private static final long serialVersionUID = 1L;

    private final long requestedBytes;
    private final long usedBytes;
    private final long maxBytes;

    MemoryExhaustedException(long requestedBytes, long usedBytes, long maxBytes, String message, Throwable cause) {
        super(message, cause);
        this.requestedBytes = requestedBytes;
        this.usedBytes = usedBytes;
        this.maxBytes = maxBytes;
    }

    /**
     * What was asked for.
     *
     * @return bytes
     */
    public long requestedBytes() {
        return requestedBytes;
    }

    /**
     * What was in use.
     *
     * @return bytes of the pool in use, rounded up to the sizes of blocks
     */
    public long usedBytes() {
        return usedBytes;
    }

    /**
     * The bound.
     *
     * @return bytes
     */
    public long maxBytes() {
        return maxBytes;
    }
}
