package io.verbena.verbs;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.HexFormat;

/**
 * A global identifier: 128 bits, for RoCEv2 an IPv6 address or an IPv4 address mapped into ::ffff:0:0/96.
 *
 * @param high the first 8 bytes, big-endian
 * @param low the last 8 bytes, big-endian
 */
public record Gid(long high, long low) {
    private static final long IPV4_PREFIX = 0xFFFFL << 32;

    private static final int GROUPS = 8;

    /** The empty GID. */
    public static final Gid ZERO = new Gid(0, 0);

    /**
     * Maps an IP address to its GID.
     *
     * @param address IPv4 or IPv6
     * @return the GID
     */
    public static Gid of(InetAddress address) {
        byte[] bytes = address.getAddress();
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        if (bytes.length == 4) {
            return new Gid(0, IPV4_PREFIX | buffer.getInt() & 0xFFFF_FFFFL);
        }
        return new Gid(buffer.getLong(), buffer.getLong());
    }

    /**
     * Reads a GID from its 32 hexadecimal digits, as ibv_rc_pingpong exchanges it.
     *
     * @param digits 32 hexadecimal digits
     * @return the GID
     * @throws VerbsException EINVAL for anything else
     */
    public static Gid ofHex(String digits) {
        if (digits == null || digits.length() != 32) {
            throw VerbsException.invalid("gid", digits, "32 hexadecimal digits");
        }
        try {
            // HexFormat, because Long.parseUnsignedLong takes a plus sign and digits of other scripts.
            return new Gid(
                    HexFormat.fromHexDigitsToLong(digits, 0, 16), HexFormat.fromHexDigitsToLong(digits, 16, 32));
        } catch (IllegalArgumentException e) {
            throw VerbsException.invalid("gid", digits, "32 hexadecimal digits");
        }
    }

    /**
     * The GID as 32 hexadecimal digits.
     *
     * @return lower case, no separators
     */
    public String toHex() {
        return String.format("%016x%016x", high, low);
    }

    /**
     * Tells whether this GID holds an IPv4 address.
     *
     * @return true when it lies in ::ffff:0:0/96
     */
    public boolean isIpv4() {
        return high == 0 && low >>> 32 == 0xFFFFL;
    }

    /**
     * Tells whether this GID names a multicast group.
     *
     * @return true when its first byte is 0xff
     */
    public boolean isMulticast() {
        return high >>> 56 == 0xFF;
    }

    /**
     * The IP address of this GID.
     *
     * @return an IPv4 or IPv6 address
     */
    public InetAddress toInetAddress() {
        byte[] bytes = isIpv4()
                ? ByteBuffer.allocate(4).putInt((int) low).array()
                : ByteBuffer.allocate(16).putLong(high).putLong(low).array();
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new AssertionError("4 or 16 bytes are always an address", e);
        }
    }

    /**
     * The IP address of this GID as it is usually written (RFC 5952), and as {@code bind=} and hosts take it.
     *
     * @return for example {@code 10.0.0.1}, {@code ::1} or {@code fe80::1:2}
     */
    public String toAddressText() {
        if (isIpv4()) {
            return toInetAddress().getHostAddress();
        }
        int zeros = 0;
        int start = -1;
        for (int i = 0; i < GROUPS; i++) {
            int run = 0;
            while (i + run < GROUPS && group(i + run) == 0) {
                run++;
            }
            if (run > zeros && run > 1) {
                zeros = run;
                start = i;
            }
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < GROUPS; i++) {
            if (i == start) {
                text.append("::");
                i += zeros - 1;
            } else {
                text.append(i == 0 || i == start + zeros ? "" : ":").append(Integer.toHexString(group(i)));
            }
        }
        return text.toString();
    }

    private int group(int index) {
        return (int) ((index < 4 ? high : low) >>> 48 - 16 * (index & 3)) & 0xFFFF;
    }

    /** The GID in eight groups of four digits, as ibv_devinfo prints it; IPv4 as ::ffff:a.b.c.d. */
    @Override
    public String toString() {
        if (isIpv4()) {
            return "::ffff:" + toInetAddress().getHostAddress();
        }
        String hex = toHex();
        StringBuilder text = new StringBuilder(39);
        for (int i = 0; i < 32; i += 4) {
            text.append(i == 0 ? "" : ":").append(hex, i, i + 4);
        }
        return text.toString();
    }
}
