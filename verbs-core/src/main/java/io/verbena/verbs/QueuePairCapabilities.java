package io.verbena.verbs;

/**
 * Sizes of a queue pair (struct ibv_qp_cap). What the queue pair reports is at least what was asked for.
 *
 * @param maxSendWr sends outstanding, 0 or more
 * @param maxRecvWr receives outstanding, 0 or more; ignored with a shared receive queue
 * @param maxSendSge scatter/gather entries of a send
 * @param maxRecvSge scatter/gather entries of a receive; ignored with a shared receive queue
 * @param maxInlineData bytes that an INLINE send may carry
 */
public record QueuePairCapabilities(
        int maxSendWr, int maxRecvWr, int maxSendSge, int maxRecvSge, int maxInlineData) {
    /** Checks what can be checked without a device. */
    public QueuePairCapabilities {
        check("maxSendWr", maxSendWr);
        check("maxRecvWr", maxRecvWr);
        check("maxSendSge", maxSendSge);
        check("maxRecvSge", maxRecvSge);
        check("maxInlineData", maxInlineData);
    }

    private static void check(String name, int value) {
        if (value < 0) {
            throw VerbsException.invalid(name, value, "0 to the device's limit");
        }
    }

    /**
     * Room for a number of sends and as many receives of one entry each, and 64 bytes inline.
     *
     * @param depth work requests in each queue
     * @return the sizes
     */
    public static QueuePairCapabilities ofDepth(int depth) {
        return new QueuePairCapabilities(depth, depth, 1, 1, 64);
    }
}
