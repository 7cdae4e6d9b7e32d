package io.verbena.verbs;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;

/**
 * The 40 bytes before every received datagram (UD): an IPv6 header, or 20 unspecified bytes and an IPv4 header
 * (ibv_post_recv(3); the global routing header of InfiniBand has the layout of IPv6).
 *
 * <p>Thread-safe: no state.
 */
public final class RouteHeader {
    /** Bytes that a datagram's receive needs on top of the message. */
    public static final int BYTES = 40;

    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final long IPV4_PREFIX = 0xFFFFL << 32;
    private static final int IPV4 = 20;
    private static final int IPV4_VERSION_AND_LENGTH = 0x45;
    private static final int IPV4_SOURCE = IPV4 + 12;
    private static final int IPV6_SOURCE = 8;
    private static final int IPV6_DESTINATION = 24;
    private static final int IPV6_VERSION = 6;
    private static final int FLOW_MASK = 0xF_FFFF;
    private static final int BYTE_MASK = 0xFF;

    private RouteHeader() {}

    /**
     * Who sent the datagram.
     *
     * @param buffer memory that starts with a header
     * @return the sender's GID
     * @throws VerbsException EINVAL when there is no header, or the calling thread may not read the buffer
     */
    public static Gid source(MemorySegment buffer) {
        return address(buffer, IPV4_SOURCE, IPV6_SOURCE);
    }

    /**
     * Whom the datagram was sent to.
     *
     * @param buffer memory that starts with a header
     * @return a GID of the receiver, or of a multicast group
     * @throws VerbsException EINVAL when there is no header, or the calling thread may not read the buffer
     */
    public static Gid destination(MemorySegment buffer) {
        return address(buffer, IPV4_SOURCE + Integer.BYTES, IPV6_DESTINATION);
    }

    private static Gid address(MemorySegment buffer, int ipv4Offset, int ipv6Offset) {
        if (isIpv4(buffer)) {
            return new Gid(0, IPV4_PREFIX | buffer.get(INT, ipv4Offset) & 0xFFFF_FFFFL);
        }
        return new Gid(buffer.get(LONG, ipv6Offset), buffer.get(LONG, ipv6Offset + Long.BYTES));
    }

    private static boolean isIpv4(MemorySegment buffer) {
        requireReadable(buffer);
        int first = buffer.get(INT, 0);
        if (first >>> 28 == IPV6_VERSION) {
            return false;
        }
        if ((buffer.get(ValueLayout.JAVA_BYTE, IPV4) & BYTE_MASK) == IPV4_VERSION_AND_LENGTH) {
            return true;
        }
        throw VerbsException.invalid("buffer", "0x" + Integer.toHexString(first) + "...",
                "memory that starts with the " + BYTES + "-byte header of a received datagram");
    }

    private static void requireReadable(MemorySegment buffer) {
        if (buffer == null || buffer.byteSize() < BYTES) {
            throw VerbsException.invalid(
                    "buffer", buffer, "the memory a datagram was received into, at least " + BYTES + " bytes");
        }
        if (!buffer.scope().isAlive()) {
            throw VerbsException.invalid("buffer", "of a closed arena", "a segment whose arena is open");
        }
        if (!buffer.isAccessibleBy(Thread.currentThread())) {
            throw VerbsException.invalid("buffer", "of another thread's confined arena",
                    "one that the calling thread may access");
        }
    }

    /**
     * The way back to the sender of a datagram (ibv_init_ah_from_wc(3)).
     *
     * @param context whose GID table is searched for the address the datagram was sent to
     * @param completion the datagram's completion
     * @param buffer what it was received into
     * @param port the own port it came in by
     * @return a vector for an address handle; one sent to a group is answered from the port's first GID
     * @throws VerbsException EINVAL when the completion is not one of a datagram, the header not a header, or the
     *     buffer one that the calling thread may not read
     */
    public static AddressVector replyTo(Context context, WorkCompletion completion, MemorySegment buffer, int port) {
        if (completion == null || !completion.isSuccess() || (completion.flags() & WcFlags.GRH) == 0) {
            throw VerbsException.invalid("completion", completion, "a successful receive of a datagram, with GRH set");
        }
        Gid own = destination(buffer);
        List<GidEntry> entries = context.queryGidTable().stream().filter(entry -> entry.port() == port).toList();
        if (entries.isEmpty()) {
            throw VerbsException.invalid("port", port, "a port of the device with a GID");
        }
        GidEntry from = entries.stream().filter(entry -> entry.gid().equals(own)).findFirst()
                .orElse(entries.getFirst());
        int first = buffer.get(INT, 0);
        boolean ipv4 = isIpv4(buffer);
        int trafficClass = ipv4 ? buffer.get(ValueLayout.JAVA_BYTE, IPV4 + 1) & BYTE_MASK : first >>> 20 & BYTE_MASK;
        return new AddressVector(
                source(buffer), from.index(), port, BYTE_MASK, trafficClass, ipv4 ? 0 : first & FLOW_MASK);
    }
}
