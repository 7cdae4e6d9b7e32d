package io.verbena.verbs;

/**
 * The way to a peer (struct ibv_ah_attr). RoCE is always global: the peer is named by its GID.
 *
 * @param dgid the peer's GID; must not be {@link Gid#ZERO}
 * @param sgidIndex index of the own GID to send from
 * @param port the own port, from 1
 * @param hopLimit IP time to live; small values are raised by the device
 * @param trafficClass IP type of service byte
 * @param flowLabel 20-bit flow label; 0 lets the device choose
 */
public record AddressVector(Gid dgid, int sgidIndex, int port, int hopLimit, int trafficClass, int flowLabel) {
    /**
     * A vector with the usual defaults: GID index 0, port 1, hop limit 64.
     *
     * @param dgid the peer's GID
     * @return the vector
     */
    public static AddressVector to(Gid dgid) {
        return new AddressVector(dgid, 0, 1, 64, 0, 0);
    }
}
