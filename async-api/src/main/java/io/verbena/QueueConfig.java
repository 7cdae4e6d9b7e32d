package io.verbena;

/**
 * How much a connection has under way at most. Immutable.
 *
 * @param sends operations under way, 1 to 16384
 * @param receives messages of the peer that arrive without being taken, 2 to 16384; each takes memory
 * @param maxSge buffers of one vectored operation, 2 to 64
 * @param maxInlineBytes longest inline operation, 0 to 1024 bytes
 */
public record QueueConfig(
        int sends, int receives, int maxSge, int maxInlineBytes) {
    /** Usual values. */
    public static final QueueConfig DEFAULT = new QueueConfig(128, 128, 8, 64);

    /** Checks the values. */
    public QueueConfig {
        Checks.range("sends", sends, 1, 16_384);
        Checks.range("receives", receives, 2, 16_384);
        Checks.range("maxSge", maxSge, 2, 64);
        Checks.range("maxInlineBytes", maxInlineBytes, 0, 1_024);
    }

    /**
     * The same with another value of sends.
     *
     * @param newSends operations under way, 1 to 16384
     * @return a changed copy
     */
    public QueueConfig withSends(int newSends) {
        return new QueueConfig(newSends, receives, maxSge, maxInlineBytes);
    }

    /**
     * The same with another value of receives.
     *
     * @param newReceives messages of the peer that arrive without being taken, 2 to 16384; each takes memory
     * @return a changed copy
     */
    public QueueConfig withReceives(int newReceives) {
        return new QueueConfig(sends, newReceives, maxSge, maxInlineBytes);
    }

    /**
     * The same with another value of maxSge.
     *
     * @param newMaxSge buffers of one vectored operation, 2 to 64
     * @return a changed copy
     */
    public QueueConfig withMaxSge(int newMaxSge) {
        return new QueueConfig(sends, receives, newMaxSge, maxInlineBytes);
    }

    /**
     * The same with another value of maxInlineBytes.
     *
     * @param newMaxInlineBytes longest inline operation, 0 to 1024 bytes
     * @return a changed copy
     */
    public QueueConfig withMaxInlineBytes(int newMaxInlineBytes) {
        return new QueueConfig(sends, receives, maxSge, newMaxInlineBytes);
    }
}
