package io.verbena.rc.packet;

import io.verbena.verbs.Gid;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * A measured frame from its IP header on, and where the test resources keep them.
 *
 * @param name where it comes from
 * @param bytes IP header, UDP header, packet, CRC
 */
record Frame(String name, byte[] bytes) {
    private static final int PCAP_HEADER = 24;
    private static final int PCAP_RECORD_HEADER = 16;
    private static final int ETHERNET = 14;

    /** The frames that were captured from Linux rxe. */
    static List<Frame> captured() {
        var frames = new ArrayList<Frame>();
        text("vectors.tsv").lines().filter(line -> !line.startsWith("#")).forEach(line -> {
            var columns = line.split("\t");
            frames.add(new Frame(columns[0] + " " + columns[1], HexFormat.of().parseHex(columns[9])));
        });
        var pcap = ByteBuffer.wrap(resource("send_only_ipv6.pcap")).order(java.nio.ByteOrder.LITTLE_ENDIAN);
        pcap.position(PCAP_HEADER);
        while (pcap.hasRemaining()) {
            int length = pcap.getInt(pcap.position() + 8);
            var bytes = new byte[length - ETHERNET];
            pcap.get(pcap.position() + PCAP_RECORD_HEADER + ETHERNET, bytes);
            frames.add(new Frame("send_only_ipv6 at " + pcap.position(), bytes));
            pcap.position(pcap.position() + PCAP_RECORD_HEADER + length);
        }
        return frames;
    }

    /** The frames of icrc-vectors.txt. */
    static List<Frame> vectors() {
        var frames = new ArrayList<Frame>();
        var parts = new ArrayList<String>();
        for (var word : text("icrc-vectors.txt").split("\\s+")) {
            boolean hex = word.length() >= 16 && word.matches("[0-9a-f]+");
            if (hex) {
                parts.add(word);
            }
            if (parts.size() == 3) {
                frames.add(new Frame("vector " + frames.size(), HexFormat.of().parseHex(String.join("", parts))));
                parts.clear();
            }
        }
        return frames;
    }

    private static String text(String name) {
        return new String(resource(name), StandardCharsets.UTF_8);
    }

    private static byte[] resource(String name) {
        try (var in = Frame.class.getResourceAsStream(name)) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    boolean isIpv4() {
        return bytes[0] >>> 4 == 4;
    }

    int identification() {
        return isIpv4() ? ByteBuffer.wrap(bytes).getShort(4) & 0xFFFF : 0;
    }

    private int udpOffset() {
        return isIpv4() ? 20 : 40;
    }

    /** The packet: base transport header to CRC. */
    byte[] packet() {
        return Arrays.copyOfRange(bytes, udpOffset() + 8, bytes.length);
    }

    IcrcPath path() {
        int port = ByteBuffer.wrap(bytes).getShort(udpOffset()) & 0xFFFF;
        int addressBytes = isIpv4() ? 4 : 16;
        int first = udpOffset() - 2 * addressBytes;
        return new IcrcPath(
                gid(first, addressBytes), gid(first + addressBytes, addressBytes), port, IcrcPath.ROCE_PORT);
    }

    private Gid gid(int offset, int length) {
        try {
            return Gid.of(InetAddress.getByAddress(Arrays.copyOfRange(bytes, offset, offset + length)));
        } catch (java.net.UnknownHostException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
