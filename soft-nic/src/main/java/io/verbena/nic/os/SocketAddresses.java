package io.verbena.nic.os;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Addresses of UDP sockets as the system lays them out: sockaddr_in for an IPv4 address, which the two halves hold as
 * ::ffff:a.b.c.d, or sockaddr_in6 for any other.
 */
public final class SocketAddresses {
    static final int IPV4_BYTES = 16;
    static final int IPV6_BYTES = 28;
    /** Room for either. */
    static final int BYTES = 32;
    static final short IPV4 = 2;
    static final short IPV6 = 10;

    private static final long IPV4_PREFIX = 0xFFFFL << 32;
    private static final int PORT_AT = 2;
    private static final int IPV4_AT = 4;
    private static final int IPV6_AT = 8;
    private static final int SCOPE_AT = 24;
    private static final ValueLayout.OfShort PORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt NUMBER = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong HALF = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private SocketAddresses() {}

    /**
     * An address and a port.
     *
     * @param high the first half of the IPv6 address, or 0
     * @param low the other half, or 0xFFFF and the IPv4 address
     * @param port 0 to 65535
     * @param scope the number of the interface that a link-local IPv6 address belongs to, else 0
     */
    public record Name(long high, long low, int port, int scope) {
        boolean isIpv4() {
            return high == 0 && low >>> 32 == IPV4_PREFIX >>> 32;
        }

        /** Bytes of {@link SocketAddresses#allocate}'s result that count. */
        public int bytes() {
            return isIpv4() ? IPV4_BYTES : IPV6_BYTES;
        }
    }

    /**
     * Lays an address out.
     *
     * @param arena where its memory lives
     * @param name the address
     * @return memory of which {@link Name#bytes} count
     */
    public static MemorySegment allocate(Arena arena, Name name) {
        MemorySegment address = arena.allocate(BYTES, Long.BYTES);
        address.set(ValueLayout.JAVA_SHORT, 0, name.isIpv4() ? IPV4 : IPV6);
        address.set(PORT, PORT_AT, (short) name.port);
        if (name.isIpv4()) {
            address.set(NUMBER, IPV4_AT, (int) name.low);
        } else {
            address.set(HALF, IPV6_AT, name.high);
            address.set(HALF, IPV6_AT + Long.BYTES, name.low);
            address.set(ValueLayout.JAVA_INT, SCOPE_AT, name.scope);
        }
        return address;
    }

    static int port(MemorySegment addresses, long at) {
        return addresses.get(PORT, at + PORT_AT) & 0xFFFF;
    }

    static long high(MemorySegment addresses, long at) {
        return addresses.get(ValueLayout.JAVA_SHORT, at) == IPV4 ? 0 : addresses.get(HALF, at + IPV6_AT);
    }

    static long low(MemorySegment addresses, long at) {
        return addresses.get(ValueLayout.JAVA_SHORT, at) == IPV4
                ? IPV4_PREFIX | addresses.get(NUMBER, at + IPV4_AT) & 0xFFFF_FFFFL
                : addresses.get(HALF, at + IPV6_AT + Long.BYTES);
    }
}
