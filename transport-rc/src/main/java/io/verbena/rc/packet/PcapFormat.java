package io.verbena.rc.packet;

import io.verbena.verbs.Gid;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.UnsafeApi;

/**
 * Packets in the form of a capture that Wireshark reads: classic pcap, nanoseconds, Ethernet. A packet here begins with
 * the base transport header; the headers before it are made up from the addresses, as a socket that never fragments
 * has them sent, so that the invariant CRC is right. Allocates for each packet; used by one thread.
 */
public final class PcapFormat {
    private static final int MAGIC_NANOSECONDS = 0xA1B2_3C4D;
    private static final int LINK_ETHERNET = 1;
    private static final int HEADER = 24;
    private static final int RECORD_HEADER = 16;
    private static final int ETHERNET = 14;
    private static final int IPV4 = 20;
    private static final int IPV6 = 40;
    private static final int UDP = 8;
    private static final int UDP_PROTOCOL = 17;
    private static final int HOPS = 64;
    private static final int LONGEST = 65_535;
    private static final long NANOS = 1_000_000_000L;

    private PcapFormat() {}

    /**
     * What a file begins with.
     *
     * @return its bytes
     */
    public static byte[] header() {
        return ByteBuffer.allocate(HEADER).order(ByteOrder.LITTLE_ENDIAN).putInt(MAGIC_NANOSECONDS).putShort((short) 2)
                .putShort((short) 4).putInt(0).putInt(0).putInt(LONGEST).putInt(LINK_ETHERNET).array();
    }

    /**
     * What a file goes on with for each packet.
     *
     * @param nanos when, since 1970 or since whatever the times of the file are to count from
     * @param source where it comes from, with its UDP port
     * @param sourcePort that port
     * @param destination where it goes, of the same family
     * @param address of the packet's first byte
     * @param length its bytes with its CRC
     * @return the bytes of the record
     */
    public static byte[] record(
            long nanos, Gid source, int sourcePort, Gid destination, long address, int length) {
        boolean ipv4 = source.isIpv4();
        int total = ETHERNET + (ipv4 ? IPV4 : IPV6) + UDP + length;
        ByteBuffer frame = ByteBuffer.allocate(RECORD_HEADER + total).order(ByteOrder.LITTLE_ENDIAN);
        frame.putInt((int) (nanos / NANOS)).putInt((int) (nanos % NANOS)).putInt(total).putInt(total);
        frame.order(ByteOrder.BIG_ENDIAN);
        station(frame, destination);
        station(frame, source);
        if (ipv4) {
            frame.putShort((short) 0x0800);
            ipv4(frame, source, destination, length + UDP + IPV4);
        } else {
            frame.putShort((short) 0x86DD).putInt(0x6000_0000).putShort((short) (length + UDP))
                    .put((byte) UDP_PROTOCOL).put((byte) HOPS).putLong(source.high()).putLong(source.low())
                    .putLong(destination.high()).putLong(destination.low());
        }
        frame.putShort((short) sourcePort).putShort((short) IcrcPath.ROCE_PORT).putShort((short) (length + UDP))
                .putShort((short) 0);
        for (int i = 0; i < length; i++) {
            frame.put(UnsafeApi.getByte(address + i));
        }
        return frame.array();
    }

    /** An Ethernet address that nobody has, made from the end of an IP address. */
    private static void station(ByteBuffer frame, Gid address) {
        frame.putShort((short) 0x0200).putInt((int) address.low());
    }

    private static void ipv4(ByteBuffer frame, Gid source, Gid destination, int total) {
        int start = frame.position();
        frame.putShort((short) 0x4500).putShort((short) total).putShort((short) 0).putShort((short) 0x4000)
                .put((byte) HOPS).put((byte) UDP_PROTOCOL).putShort((short) 0)
                .putInt((int) source.low()).putInt((int) destination.low());
        int sum = 0;
        for (int i = 0; i < IPV4; i += 2) {
            sum += frame.getShort(start + i) & 0xFFFF;
        }
        sum = (sum & 0xFFFF) + (sum >>> 16);
        frame.putShort(start + 10, (short) ~((sum & 0xFFFF) + (sum >>> 16)));
    }
}
