package io.verbena.bench;

import io.verbena.verbs.Mtu;

/**
 * The attributes that two queue pairs are connected with.
 *
 * @param mtu path MTU; has no effect on UD
 * @param timeout local ACK timeout code, 0 to 31; has an effect on RC only
 * @param minRnrTimer the wait a receiver without a receive asks for, 0 to 31
 * @param port the physical port of both ends, from 1
 * @param gidIndex index of both ends' GIDs
 * @param trafficClass IP type of service byte
 * @param transport what carries the messages
 */
public record PathConfig(
        Mtu mtu, int timeout, int minRnrTimer, int port, int gidIndex, int trafficClass, Transport transport) {
    /** MTU 1024, 67 ms, a receiver-not-ready wait of 10 us, port 1, GID 0. */
    public static final PathConfig DEFAULT = new PathConfig(Mtu.MTU_1024, 14, 1, 1, 0, 0, Transport.RC);

    /** Checks what can be checked without a device. */
    public PathConfig {
        OptionRange.TIMEOUT.check(timeout);
        new OptionRange("the RNR timer", 0, 31, "as in ibv_modify_qp(3)").check(minRnrTimer);
        new OptionRange("-i", 1, 255, "as in devinfo").check(port);
        new OptionRange("-g", 0, 65_535, "as in devinfo -v").check(gidIndex);
        new OptionRange("the traffic class", 0, 255, "as in IP").check(trafficClass);
    }
}
