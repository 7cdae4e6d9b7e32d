package io.verbena.nic.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rc.packet.Icrc;
import io.verbena.rc.packet.IcrcPath;
import io.verbena.rc.packet.PacketView;
import io.verbena.verbs.Gid;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Deque;
import org.agrona.UnsafeApi;

/** Packets for tests: sent with a number, received into a list, checked byte by byte. */
final class Packets implements PacketReceiver {
    /** The longest packet without its CRC. */
    static final int MAX_BYTES = PacketView.MAX_BYTES - PacketView.ICRC_BYTES;
    /** The shortest one. */
    static final int MIN_BYTES = 12;

    private static final int NUMBER_AT = 8;
    private static final long DEADLINE_NANOS = 10_000_000_000L;

    /** Memory for one packet. */
    static final class Memory {
        private final MemorySegment segment = Arena.ofAuto().allocate(PacketView.MAX_BYTES, Long.BYTES);

        long address() {
            return segment.address();
        }
    }

    /** The number of a packet. */
    static int number(long address) {
        return UnsafeApi.getIntUnaligned(null, address + NUMBER_AT);
    }

    /** What came. */
    record Received(byte[] bytes, Gid source, int port) {
        int number() {
            return MemorySegment.ofArray(bytes).get(ValueLayout.JAVA_INT_UNALIGNED, NUMBER_AT);
        }

        /** Whether its CRC is right for some identification; damaged or not, nobody else could know. */
        boolean isWhole(Gid own) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment memory = arena.allocate(bytes.length, Long.BYTES);
                memory.copyFrom(MemorySegment.ofArray(bytes));
                return new Icrc(memory).verify(path(own), memory.address(), bytes.length);
            }
        }

        /** The difference of its CRC from the one for an identification; 0 when it had that one. */
        int difference(Gid own, int identification) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment memory = arena.allocate(bytes.length, Long.BYTES);
                memory.copyFrom(MemorySegment.ofArray(bytes));
                int covered = bytes.length - PacketView.ICRC_BYTES;
                return new Icrc(memory).compute(path(own), memory.address(), covered, identification)
                        ^ memory.get(ValueLayout.JAVA_INT_UNALIGNED, covered);
            }
        }

        private IcrcPath path(Gid own) {
            return new IcrcPath(source, own, port, IcrcPath.ROCE_PORT);
        }
    }

    final Deque<Received> list = new ArrayDeque<>();

    @Override
    public void onPacket(long address, int bytes, long sourceHigh, long sourceLow, int sourcePort) {
        byte[] copy = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            copy[i] = UnsafeApi.getByte(address + i);
        }
        list.add(new Received(copy, new Gid(sourceHigh, sourceLow), sourcePort));
    }

    private static byte filler(int number, int position) {
        return (byte) (number * 31 + position * 7);
    }

    /** Writes a packet and hands it over. */
    static void send(PacketLink link, PacketPath path, int bytes, int number) {
        long address = link.room();
        assertNotEquals(0, address, "no room");
        for (int i = 0; i < bytes; i++) {
            UnsafeApi.putByte(address + i, filler(number, i));
        }
        UnsafeApi.putIntUnaligned(null, address + NUMBER_AT, number);
        link.send(path, bytes);
    }

    /** Receives until so many packets are there. */
    void await(PacketLink link, int count) {
        long end = System.nanoTime() + DEADLINE_NANOS;
        while (list.size() < count) {
            assertTrue(System.nanoTime() < end, list.size() + " of " + count + " packets came");
            if (link.receive(this, Integer.MAX_VALUE) == 0) {
                link.await(10_000_000);
            }
        }
    }

    /** Takes the next packet, which must be what was sent. */
    void expect(PacketLink to, Gid from, int bytes, int number) {
        Received next = list.remove();
        assertEquals(number, next.number());
        assertEquals(bytes + PacketView.ICRC_BYTES, next.bytes().length);
        assertEquals(from, next.source());
        assertEquals(IcrcPath.ROCE_PORT, next.port());
        for (int i = 0; i < bytes; i++) {
            if (i < NUMBER_AT || i >= NUMBER_AT + Integer.BYTES) {
                assertEquals(filler(number, i), next.bytes()[i]);
            }
        }
        assertTrue(next.isWhole(to.gid()), "the CRC of packet " + number);
    }
}
