package io.verbena.bench;

import io.verbena.verbs.Mtu;

/**
 * The attributes that two queue pairs are connected with.
 *
 * @param mtu path MTU; has no effect on UD
 * @param retries how long and how often RC tries
 * @param port the physical port of both ends, from 1
 * @param gidIndex index of both ends' GIDs
 * @param trafficClass IP type of service byte
 * @param transport what carries the messages
 */
public record PathConfig(
        Mtu mtu, Retries retries, int port, int gidIndex, int trafficClass, Transport transport) {
    /** MTU 1024, the usual retries, port 1, GID 0. */
    public static final PathConfig DEFAULT = new PathConfig(Mtu.MTU_1024, Retries.DEFAULT, 1, 0, 0, Transport.RC);

    /** Checks what can be checked without a device. */
    public PathConfig {
        new OptionRange("-i", 1, 255, "as in devinfo").check(port);
        new OptionRange("-g", 0, 65_535, "as in devinfo -v").check(gidIndex);
        new OptionRange("the traffic class", 0, 255, "as in IP").check(trafficClass);
    }
}
