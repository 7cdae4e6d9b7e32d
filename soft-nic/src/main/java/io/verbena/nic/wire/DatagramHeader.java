package io.verbena.nic.wire;

import io.verbena.verbs.Gid;
import io.verbena.verbs.RouteHeader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The IP header that the receiver of a datagram sees before it: made up from what a socket tells. Identification and
 * flow label are those of an ordinary packet, and so are hop limit and traffic class where the link does not know them.
 */
final class DatagramHeader {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int UDP_BYTES = 8;
    private static final int UDP = 17;
    private static final int USUAL_HOPS = 64;
    private static final int BYTE_MASK = 0xFF;
    private static final int IPV4 = 20;
    private static final int IPV4_BYTES = 20;
    private static final int IPV4_WORD = 0x4500_0000;
    private static final int DONT_FRAGMENT = 0x4000_0000;
    private static final int IPV6_WORD = 0x6000_0000;
    private static final int CHECKSUM_AT = IPV4 + 10;
    private static final int LOW_HALF = 0xFFFF;

    private final MemorySegment header = Arena.ofAuto().allocate(RouteHeader.BYTES, Long.BYTES);
    private final Gid own;

    DatagramHeader(Gid own) {
        this.own = own;
    }

    /** Where the header is, {@link RouteHeader#BYTES} bytes. */
    long address() {
        return header.address();
    }

    /** Describes a packet that came in; its marks are those of {@link io.verbena.nic.link.PacketLink#marks}. */
    void describe(long sourceHigh, long sourceLow, int packetBytes, int marks) {
        int trafficClass = marks < 0 ? 0 : marks >>> Byte.SIZE;
        int hops = marks < 0 ? USUAL_HOPS : marks & BYTE_MASK;
        int udpBytes = UDP_BYTES + packetBytes;
        if (own.isIpv4()) {
            header.set(INT, IPV4, IPV4_WORD | trafficClass << 16 | IPV4_BYTES + udpBytes);
            header.set(INT, IPV4 + 4, DONT_FRAGMENT);
            header.set(INT, IPV4 + 8, hops << 24 | UDP << 16);
            header.set(INT, IPV4 + 12, (int) sourceLow);
            header.set(INT, IPV4 + 16, (int) own.low());
            header.set(SHORT, CHECKSUM_AT, checksum());
        } else {
            header.set(INT, 0, IPV6_WORD | trafficClass << 20);
            header.set(INT, 4, udpBytes << 16 | UDP << 8 | hops);
            header.set(LONG, 8, sourceHigh);
            header.set(LONG, 16, sourceLow);
            header.set(LONG, 24, own.high());
            header.set(LONG, 32, own.low());
        }
    }

    private short checksum() {
        int sum = 0;
        for (int i = IPV4; i < IPV4 + IPV4_BYTES; i += Short.BYTES) {
            sum += header.get(SHORT, i) & LOW_HALF;
        }
        while (sum >>> Short.SIZE != 0) {
            sum = (sum & LOW_HALF) + (sum >>> Short.SIZE);
        }
        return (short) ~sum;
    }
}
