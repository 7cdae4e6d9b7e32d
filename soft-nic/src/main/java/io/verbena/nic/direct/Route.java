package io.verbena.nic.direct;

import io.verbena.nic.link.PacketPath;
import io.verbena.nic.memory.OffHeap;
import io.verbena.verbs.AddressVector;
import io.verbena.verbs.Gid;
import io.verbena.verbs.RouteHeader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** The way to a receiver of datagrams: where it is, and the header that a datagram to it begins with. */
public final class Route {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
    private static final int UDP = 17;
    /** UDP 8, base transport header 12, datagram header 8, invariant CRC 4. */
    private static final int TRANSPORT_BYTES = 8 + 12 + 8 + 4;
    private static final int IPV4 = 20;
    private static final int IPV4_BYTES = 20;
    private static final int IPV4_DONT_FRAGMENT = 0x4000;
    private static final int IPV6_LENGTH = 4;
    private static final int CHECKSUM_MASK = 0xFFFF;

    private final MemorySegment header = Arena.ofAuto().allocate(RouteHeader.BYTES, Long.BYTES);
    private final Gid to;
    private final InlineSource domain;
    private final PacketPath path;
    private final boolean ipv4;
    private volatile boolean closed;

    /**
     * Makes a route.
     *
     * @param from the own GID
     * @param vector the way
     * @param domain the protection domain that may use it
     * @param path the way for packets; null when none are sent
     */
    public Route(Gid from, AddressVector vector, InlineSource domain, PacketPath path) {
        this.path = path;
        to = vector.dgid();
        this.domain = domain;
        ipv4 = from.isIpv4() && to.isIpv4();
        if (ipv4) {
            fillIpv4(from, vector);
        } else {
            fillIpv6(from, vector);
        }
    }

    private void fillIpv6(Gid from, AddressVector vector) {
        header.set(INT, 0, 6 << 28 | vector.trafficClass() << 20 | vector.flowLabel());
        header.set(BYTE, IPV6_LENGTH + 2, (byte) UDP);
        header.set(BYTE, IPV6_LENGTH + 3, (byte) vector.hopLimit());
        header.set(LONG, 8, from.high());
        header.set(LONG, 16, from.low());
        header.set(LONG, 24, to.high());
        header.set(LONG, 32, to.low());
    }

    private void fillIpv4(Gid from, AddressVector vector) {
        header.set(BYTE, IPV4, (byte) 0x45);
        header.set(BYTE, IPV4 + 1, (byte) vector.trafficClass());
        header.set(SHORT, IPV4 + 6, (short) IPV4_DONT_FRAGMENT);
        header.set(BYTE, IPV4 + 8, (byte) vector.hopLimit());
        header.set(BYTE, IPV4 + 9, (byte) UDP);
        header.set(INT, IPV4 + 12, (int) from.low());
        header.set(INT, IPV4 + 16, (int) to.low());
    }

    /**
     * Writes the header of one datagram.
     *
     * @param target {@link RouteHeader#BYTES} bytes
     * @param length bytes of the message, with its immediate value
     */
    void write(MemorySegment target, long length) {
        OffHeap.copyWords(header.address(), target.address(), RouteHeader.BYTES);
        int packet = TRANSPORT_BYTES + (int) (length + 3 & -4);
        if (ipv4) {
            target.set(SHORT, IPV4 + 2, (short) (IPV4_BYTES + packet));
            target.set(SHORT, IPV4 + 10, checksum(target));
        } else {
            target.set(SHORT, IPV6_LENGTH, (short) packet);
        }
    }

    private static short checksum(MemorySegment target) {
        int sum = 0;
        for (int i = IPV4; i < IPV4 + IPV4_BYTES; i += Short.BYTES) {
            sum += target.get(SHORT, i) & CHECKSUM_MASK;
        }
        while (sum >>> Short.SIZE != 0) {
            sum = (sum & CHECKSUM_MASK) + (sum >>> Short.SIZE);
        }
        return (short) ~sum;
    }

    /** The receiver, or a multicast group. */
    Gid to() {
        return to;
    }

    /** Whether sends of a protection domain may take this way. */
    boolean isUsable(InlineSource fromDomain) {
        return !closed && domain == fromDomain;
    }

    /** The way for packets; null when none are sent. */
    public PacketPath path() {
        return path;
    }

    /** Whether the address handle was closed meanwhile. */
    public boolean isClosed() {
        return closed;
    }

    /** Refuses further sends. */
    public void close() {
        closed = true;
    }
}
