package io.verbena;

import io.verbena.verbs.Mtu;

/**
 * The way of packets to the peer. Immutable.
 *
 * @param mtu largest payload of a packet; null for the largest that the port does, or both ends do
 * @param trafficClass type of service byte, 0 to 255
 * @param hopLimit IP time to live, 1 to 255
 * @param flowLabel 20 bits; 0 lets the device choose
 */
public record PathConfig(
        Mtu mtu, int trafficClass, int hopLimit, int flowLabel) {
    /** Usual values. */
    public static final PathConfig DEFAULT = new PathConfig(null, 0, 64, 0);

    /** Checks the values. */
    public PathConfig {
        Checks.range("trafficClass", trafficClass, 0, 255);
        Checks.range("hopLimit", hopLimit, 1, 255);
        Checks.range("flowLabel", flowLabel, 0, 0xF_FFFF);
    }

    /**
     * The same with another value of mtu.
     *
     * @param newMtu largest payload of a packet; null for the largest that the port does, or both ends do
     * @return a changed copy
     */
    public PathConfig withMtu(Mtu newMtu) {
        return new PathConfig(newMtu, trafficClass, hopLimit, flowLabel);
    }

    /**
     * The same with another value of trafficClass.
     *
     * @param newTrafficClass type of service byte, 0 to 255
     * @return a changed copy
     */
    public PathConfig withTrafficClass(int newTrafficClass) {
        return new PathConfig(mtu, newTrafficClass, hopLimit, flowLabel);
    }

    /**
     * The same with another value of hopLimit.
     *
     * @param newHopLimit IP time to live, 1 to 255
     * @return a changed copy
     */
    public PathConfig withHopLimit(int newHopLimit) {
        return new PathConfig(mtu, trafficClass, newHopLimit, flowLabel);
    }

    /**
     * The same with another value of flowLabel.
     *
     * @param newFlowLabel 20 bits; 0 lets the device choose
     * @return a changed copy
     */
    public PathConfig withFlowLabel(int newFlowLabel) {
        return new PathConfig(mtu, trafficClass, hopLimit, newFlowLabel);
    }
}
