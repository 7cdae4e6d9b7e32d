package io.verbena.bench;

/**
 * What the queue pairs of an end have in common.
 *
 * @param layout how they share completion queues
 * @param transport their service, and whether they share a receive queue
 */
public record Sharing(CqLayout layout, Transport transport) {
    /**
     * Reliable connections.
     *
     * @param layout how they share completion queues
     * @return receive queues of their own
     */
    public static Sharing of(CqLayout layout) {
        return new Sharing(layout, Transport.RC);
    }
}
