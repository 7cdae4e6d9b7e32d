package io.verbena;

/**
 * Two ends in this process that are connected with each other, for trying out and for tests: what one sends the other
 * receives.
 *
 * @param left one end
 * @param right the other
 */
public record ConnectionPair(RdmaConnection left, RdmaConnection right) implements AutoCloseable {
    /** Checks that both are there. */
    public ConnectionPair {
        Checks.present("left", left);
        Checks.present("right", right);
    }

    /**
     * Connects two ends at one node, with usual values.
     *
     * @param node where both are
     * @return the two ends; the caller closes them
     * @throws io.verbena.verbs.VerbsException when the device refuses something
     */
    public static ConnectionPair open(RdmaNode node) {
        return open(node, node, ConnectionConfig.DEFAULT);
    }

    /**
     * Connects an end at one node with an end at another.
     *
     * @param left where the left end is
     * @param right where the right end is; on a device that the left one reaches, perhaps the same
     * @param connection how, for both
     * @return the two ends; the caller closes them
     * @throws io.verbena.verbs.VerbsException when a device refuses something
     */
    public static ConnectionPair open(RdmaNode left, RdmaNode right, ConnectionConfig connection) {
        RdmaConnection[] ends = RdmaNode.pair(left, right, connection);
        return new ConnectionPair(ends[0], ends[1]);
    }

    /** Closes both ends without waiting for what is under way; see {@link RdmaConnection#closeNow()}. */
    @Override
    public void close() {
        try {
            left.closeNow();
        } finally {
            right.closeNow();
        }
    }
}
