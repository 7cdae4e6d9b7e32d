package io.verbena.rc.packet;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.verbs.Gid;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The bytes of a capture, against the layouts of pcap, Ethernet, IP and UDP written out. */
class PcapFormatTest {
    private static final Gid FIRST = Gid.ofHex("00000000000000000000ffff0a4d0001");
    private static final Gid SECOND = Gid.ofHex("00000000000000000000ffff0a4d0002");

    private static byte[] record(long nanos, Gid source, Gid destination, byte[] packet) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(packet.length);
            memory.copyFrom(MemorySegment.ofArray(packet));
            return PcapFormat.record(nanos, source, 4791, destination, memory.address(), packet.length);
        }
    }

    @Test
    void headerIsThatOfNanosecondsAndEthernet() {
        assertEquals("4d3cb2a1" + "02000400" + "00000000" + "00000000" + "ffff0000" + "01000000",
                HexFormat.of().formatHex(PcapFormat.header()));
    }

    @Test
    void ipv4PacketHasHeadersThatAreRight() {
        byte[] packet = {1, 2, 3, 4, 5, 6, 7, 8};
        byte[] record = record(3_000_000_007L, FIRST, SECOND, packet);
        assertEquals("03000000" + "07000000" + "32000000" + "32000000"
                + "02000a4d0002" + "02000a4d0001" + "0800"
                + "45000024" + "00004000" + "4011" + "262d" + "0a4d0001" + "0a4d0002"
                + "12b7" + "12b7" + "0010" + "0000" + "0102030405060708", HexFormat.of().formatHex(record));
    }

    @Test
    void ipv6PacketHasHeadersThatAreRight() {
        Gid source = Gid.ofHex("fd770000000000000000000000000001");
        Gid destination = Gid.ofHex("fd770000000000000000000000000002");
        byte[] record = record(0, source, destination, new byte[] {9, 9, 9, 9});
        assertEquals("86dd" + "60000000" + "000c" + "11" + "40" + source.toHex() + destination.toHex()
                + "12b7" + "12b7" + "000c" + "0000" + "09090909",
                HexFormat.of().formatHex(Arrays.copyOfRange(record, 16 + 12, record.length)));
    }

    @Test
    void longPacketIsWhole() {
        byte[] packet = new byte[4_200];
        Arrays.fill(packet, (byte) 0x5A);
        byte[] record = record(1, FIRST, SECOND, packet);
        assertEquals(record.length - 16, ByteBuffer.wrap(record).order(ByteOrder.LITTLE_ENDIAN).getInt(8));
        assertArrayEquals(packet, Arrays.copyOfRange(record, record.length - packet.length, record.length));
        assertEquals(0x5A, MemorySegment.ofArray(record).get(ValueLayout.JAVA_BYTE, record.length - 1));
    }
}
