package io.verbena;

/**
 * Which port of a device, and which of its addresses. Immutable.
 *
 * @param port from 1
 * @param gidIndex 0 or more
 * @param pkeyIndex 0 or more
 */
public record PortConfig(
        int port, int gidIndex, int pkeyIndex) {
    /** Usual values. */
    public static final PortConfig DEFAULT = new PortConfig(1, 0, 0);

    /** Checks the values. */
    public PortConfig {
        Checks.range("port", port, 1, 255);
        Checks.range("gidIndex", gidIndex, 0, 65_535);
        Checks.range("pkeyIndex", pkeyIndex, 0, 65_535);
    }

    /**
     * The same with another value of port.
     *
     * @param newPort from 1
     * @return a changed copy
     */
    public PortConfig withPort(int newPort) {
        return new PortConfig(newPort, gidIndex, pkeyIndex);
    }

    /**
     * The same with another value of gidIndex.
     *
     * @param newGidIndex 0 or more
     * @return a changed copy
     */
    public PortConfig withGidIndex(int newGidIndex) {
        return new PortConfig(port, newGidIndex, pkeyIndex);
    }

    /**
     * The same with another value of pkeyIndex.
     *
     * @param newPkeyIndex 0 or more
     * @return a changed copy
     */
    public PortConfig withPkeyIndex(int newPkeyIndex) {
        return new PortConfig(port, gidIndex, newPkeyIndex);
    }
}
