package io.verbena.rc.packet;

import io.verbena.verbs.Gid;
import java.util.Arrays;

/**
 * The part of the invariant CRC that comes from the IP and UDP headers of one direction between two addresses
 * (Annex A17.3.3). The CRC is linear, so this part depends only on the packet's length and identification; it is
 * remembered for the lengths used lately. Not thread-safe.
 */
public final class IcrcPath {
    /** The UDP port of RoCEv2. */
    public static final int ROCE_PORT = 4791;

    private static final int MASKED_LRH_BYTES = 8;
    private static final int UDP_BYTES = 8;
    private static final int UDP_PROTOCOL = 17;
    private static final int IPV4_BYTES = 20;
    private static final int IPV6_BYTES = 40;
    private static final int IPV4_SOURCE = 12;
    private static final int IPV6_SOURCE = 8;
    private static final int IDENTIFICATION_OFFSET = 4;
    /** Bytes from the identification to the end of the UDP header. */
    private static final int BEHIND_IDENTIFICATION = IPV4_BYTES - IDENTIFICATION_OFFSET + UDP_BYTES;
    private static final int REMEMBERED = 16;
    private static final int NONE = -1;

    private final boolean ipv4;
    private final byte[] headers;
    private final int lengthOffset;
    private final int udpOffset;
    private final int udpLengthOffset;
    private final int[] lengths = new int[REMEMBERED];
    private final int[] parts = new int[REMEMBERED];

    /**
     * Makes the path of one direction.
     *
     * @param source where packets come from; of the same family as the destination
     * @param destination where they go
     * @param sourcePort UDP port they come from
     * @param destinationPort UDP port they go to, {@link #ROCE_PORT}
     * @throws IllegalArgumentException when one address is IPv4 and the other is not
     */
    public IcrcPath(Gid source, Gid destination, int sourcePort, int destinationPort) {
        if (source.isIpv4() != destination.isIpv4()) {
            throw new IllegalArgumentException("source " + source + " and destination " + destination
                    + " are of different families; use two IPv4 or two IPv6 addresses");
        }
        ipv4 = source.isIpv4();
        int ip = ipv4 ? IPV4_BYTES : IPV6_BYTES;
        headers = new byte[MASKED_LRH_BYTES + ip + UDP_BYTES];
        Arrays.fill(headers, 0, MASKED_LRH_BYTES, (byte) 0xFF);
        lengthOffset = MASKED_LRH_BYTES + (ipv4 ? 2 : 4);
        int udp = MASKED_LRH_BYTES + ip;
        udpLengthOffset = udp + 4;
        if (ipv4) {
            ipv4(source, destination);
        } else {
            ipv6(source, destination);
        }
        udpOffset = udp;
        put(udp, sourcePort, 2);
        put(udp + 2, destinationPort, 2);
        put(udp + 6, -1, 2);
        Arrays.fill(lengths, NONE);
    }

    /**
     * Makes it the path from somebody else to the same destination; allocates nothing.
     *
     * @param sourceHigh the first half of where packets come from, as of {@link Gid#high}; of the same family as before
     * @param sourceLow the other half
     * @param sourcePort UDP port they come from
     */
    public void from(long sourceHigh, long sourceLow, int sourcePort) {
        if (ipv4) {
            put(MASKED_LRH_BYTES + IPV4_SOURCE, sourceLow, 4);
        } else {
            put(MASKED_LRH_BYTES + IPV6_SOURCE, sourceHigh, 8);
            put(MASKED_LRH_BYTES + IPV6_SOURCE + 8, sourceLow, 8);
        }
        put(udpOffset, sourcePort, 2);
        Arrays.fill(lengths, NONE);
    }

    private void ipv4(Gid source, Gid destination) {
        int ip = MASKED_LRH_BYTES;
        put(ip, 0x45FF, 2);
        put(ip + 6, 0x4000, 2);
        put(ip + 8, 0xFF00 | UDP_PROTOCOL, 2);
        put(ip + 10, -1, 2);
        put(ip + IPV4_SOURCE, source.low(), 4);
        put(ip + 16, destination.low(), 4);
    }

    private void ipv6(Gid source, Gid destination) {
        int ip = MASKED_LRH_BYTES;
        put(ip, 0x6FFF_FFFFL, 4);
        put(ip + 6, UDP_PROTOCOL << 8 | 0xFF, 2);
        put(ip + IPV6_SOURCE, source.high(), 8);
        put(ip + IPV6_SOURCE + 8, source.low(), 8);
        put(ip + 24, destination.high(), 8);
        put(ip + 32, destination.low(), 8);
    }

    private void put(int offset, long value, int bytes) {
        for (int i = 0; i < bytes; i++) {
            headers[offset + i] = (byte) (value >>> 8 * (bytes - 1 - i));
        }
    }

    /** Whether packets have an identification that may be unknown. */
    boolean hasIdentification() {
        return ipv4;
    }

    /**
     * What the headers add to the CRC of a packet with identification 0.
     *
     * @param length bytes of the packet without its CRC, known to {@link Crc}
     */
    int part(int length) {
        int slot = length >>> 2 & REMEMBERED - 1;
        if (lengths[slot] != length) {
            parts[slot] = compute(length);
            lengths[slot] = length;
        }
        return parts[slot];
    }

    private int compute(int length) {
        int udpLength = UDP_BYTES + length + PacketView.ICRC_BYTES;
        put(lengthOffset, ipv4 ? IPV4_BYTES + udpLength : udpLength, 2);
        put(udpLengthOffset, udpLength, 2);
        int register = Crc.INITIAL;
        for (byte value : headers) {
            register = Crc.update(register, value);
        }
        return Crc.zeros(~register, length);
    }

    /** What an identification adds to the CRC of a packet of a length without CRC. */
    static int identificationPart(int identification, int length) {
        int register = Integer.reverseBytes(identification) >>> 16;
        return register == 0 ? 0 : Crc.zeros(register, length + BEHIND_IDENTIFICATION);
    }

    /** Whether some identification accounts for a difference between two CRCs of a packet of a length without CRC. */
    static boolean explainsDifference(int difference, int length) {
        return Crc.back(difference, length + BEHIND_IDENTIFICATION) >>> 16 == 0;
    }
}
