package io.verbena.sim;

import io.verbena.rc.packet.IcrcPath;
import io.verbena.verbs.Gid;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.UnsafeApi;

/** Writes packets as a capture that Wireshark reads: classic pcap, nanoseconds, Ethernet. */
final class Capture implements AutoCloseable {
    private static final int MAGIC_NANOSECONDS = 0xA1B2_3C4D;
    private static final int LINK_ETHERNET = 1;
    private static final int ETHERNET = 14;
    private static final int IPV4 = 20;
    private static final int IPV6 = 40;
    private static final int UDP = 8;
    private static final int UDP_PROTOCOL = 17;
    private static final int HOPS = 64;
    private static final long NANOS = 1_000_000_000L;

    private final OutputStream file;

    Capture(Path path) throws IOException {
        file = new java.io.BufferedOutputStream(Files.newOutputStream(path));
        file.write(ByteBuffer.allocate(24).order(ByteOrder.LITTLE_ENDIAN).putInt(MAGIC_NANOSECONDS).putShort((short) 2)
                .putShort((short) 4).putInt(0).putInt(0).putInt(65_535).putInt(LINK_ETHERNET).array());
    }

    /** Adds a packet; its identification is 0, as a socket that never fragments sends it. */
    void packet(boolean fromFirst, boolean ipv4, long address, int length, long at) {
        int total = ETHERNET + (ipv4 ? IPV4 : IPV6) + UDP + length;
        ByteBuffer frame = ByteBuffer.allocate(16 + total).order(ByteOrder.LITTLE_ENDIAN);
        frame.putInt((int) (at / NANOS)).putInt((int) (at % NANOS)).putInt(total).putInt(total);
        frame.order(ByteOrder.BIG_ENDIAN);
        frame.putShort((short) 0x0200).putInt(fromFirst ? 2 : 1).putShort((short) 0x0200).putInt(fromFirst ? 1 : 2);
        Gid source = Slab.gid(ipv4, fromFirst);
        Gid destination = Slab.gid(ipv4, !fromFirst);
        if (ipv4) {
            frame.putShort((short) 0x0800);
            ipv4(frame, source, destination, length + UDP + IPV4);
        } else {
            frame.putShort((short) 0x86DD).putInt(0x6000_0000).putShort((short) (length + UDP))
                    .put((byte) UDP_PROTOCOL).put((byte) HOPS).putLong(source.high()).putLong(source.low())
                    .putLong(destination.high()).putLong(destination.low());
        }
        frame.putShort((short) 0xC000).putShort((short) IcrcPath.ROCE_PORT).putShort((short) (length + UDP))
                .putShort((short) 0);
        for (int i = 0; i < length; i++) {
            frame.put(UnsafeApi.getByte(address + i));
        }
        try {
            file.write(frame.array());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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

    @Override
    public void close() throws IOException {
        file.close();
    }
}
