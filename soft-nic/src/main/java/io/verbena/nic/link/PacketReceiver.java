package io.verbena.nic.link;

/** Who takes the packets of a {@link PacketLink}. */
@FunctionalInterface
public interface PacketReceiver {
    /**
     * A packet has arrived; nothing of it has been checked, its CRC neither.
     *
     * @param address of its first byte; the memory is the receiver's until it returns
     * @param bytes its length with its CRC
     * @param sourceHigh the first half of the address it came from, as of {@link io.verbena.verbs.Gid#high}
     * @param sourceLow the other half
     * @param sourcePort the UDP port it came from
     */
    void onPacket(long address, int bytes, long sourceHigh, long sourceLow, int sourcePort);
}
