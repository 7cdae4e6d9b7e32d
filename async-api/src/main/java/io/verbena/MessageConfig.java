package io.verbena;

/**
 * Messages of a connection. Immutable.
 *
 * @param slotBytes memory of one receive, 128 to 1048576 bytes; a message that fits (less 16 bytes) goes in one step,
 *     a longer one by a READ of the receiver
 * @param copyBytes up to how many bytes a message is copied instead of being sent from where it lies, 0 or more
 * @param maxBytes longest message, 0 to 2^30 bytes; what the peer sends is held to it too
 * @param fetchBytes how much memory of the pool long messages of the peer may take until they are closed, 0 or more:
 *     one is always fetched, whatever its length; another that would exceed this stays at the peer until some are
 *     closed
 * @param raw whether there are no frames: receives are posted by the application, and nothing else is there
 */
public record MessageConfig(
        int slotBytes, int copyBytes, long maxBytes, long fetchBytes, boolean raw) {
    /** Usual values. */
    public static final MessageConfig DEFAULT = new MessageConfig(4_096, 256, 1L << 30, 64L << 20, false);

    /** Checks the values. */
    public MessageConfig {
        Checks.range("slotBytes", slotBytes, 128, 1 << 20);
        Checks.range("copyBytes", copyBytes, 0, 1 << 20);
        Checks.range("maxBytes", maxBytes, 0, 1L << 30);
        Checks.range("fetchBytes", fetchBytes, 0, Long.MAX_VALUE);
    }

    /**
     * The same with another value of slotBytes.
     *
     * @param newSlotBytes memory of one receive, 128 to 1048576 bytes; a message that fits (less 16 bytes) goes in one
     *     step, a longer one by a READ of the receiver
     * @return a changed copy
     */
    public MessageConfig withSlotBytes(int newSlotBytes) {
        return new MessageConfig(newSlotBytes, copyBytes, maxBytes, fetchBytes, raw);
    }

    /**
     * The same with another value of copyBytes.
     *
     * @param newCopyBytes up to how many bytes a message is copied instead of being sent from where it lies, 0 or
     *     more
     * @return a changed copy
     */
    public MessageConfig withCopyBytes(int newCopyBytes) {
        return new MessageConfig(slotBytes, newCopyBytes, maxBytes, fetchBytes, raw);
    }

    /**
     * The same with another value of maxBytes.
     *
     * @param newMaxBytes longest message, 0 to 2^30 bytes; what the peer sends is held to it too
     * @return a changed copy
     */
    public MessageConfig withMaxBytes(long newMaxBytes) {
        return new MessageConfig(slotBytes, copyBytes, newMaxBytes, fetchBytes, raw);
    }

    /**
     * The same with another value of fetchBytes.
     *
     * @param newFetchBytes how much memory of the pool long messages of the peer may take until they are closed, 0 or
     *     more; one is always fetched
     * @return a changed copy
     */
    public MessageConfig withFetchBytes(long newFetchBytes) {
        return new MessageConfig(slotBytes, copyBytes, maxBytes, newFetchBytes, raw);
    }

    /**
     * The same with another value of raw.
     *
     * @param newRaw whether there are no frames: receives are posted by the application, and nothing else is there
     * @return a changed copy
     */
    public MessageConfig withRaw(boolean newRaw) {
        return new MessageConfig(slotBytes, copyBytes, maxBytes, fetchBytes, newRaw);
    }
}
