package io.verbena.nic.link;

import io.verbena.nic.memory.OffHeap;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** Packets that a {@link FaultyLink} holds back, not sealed yet: a few, in no order. */
final class HeldPackets {
    private static final int PACKETS = 64;
    private static final int ROOM_BYTES = Packet.ROOM_BYTES;

    /** Who sends a packet whose time has come. */
    @FunctionalInterface
    interface Release {
        /**
         * Takes a packet.
         *
         * @return false when it can't be sent now
         */
        boolean packet(PacketPath path, long address, int bytes, int damagedBit);
    }

    private final ByteBuffer memory = ByteBuffer.allocateDirect(PACKETS * ROOM_BYTES);
    private final long rooms = MemorySegment.ofBuffer(memory).address();
    private final PacketPath[] paths = new PacketPath[PACKETS];
    private final int[] lengths = new int[PACKETS];
    private final int[] bits = new int[PACKETS];
    private final long[] duePackets = new long[PACKETS];
    private final long[] dueNanos = new long[PACKETS];
    private int count;

    boolean isEmpty() {
        return count == 0;
    }

    boolean isFull() {
        return count == PACKETS;
    }

    private long room(int place) {
        return rooms + (long) place * ROOM_BYTES;
    }

    /** Takes a packet in, a copy of it. */
    void add(PacketPath path, long address, int bytes, int damagedBit) {
        OffHeap.copy(address, room(count), bytes);
        paths[count] = path;
        lengths[count] = bytes;
        bits[count++] = damagedBit;
    }

    /** Says when the packet taken in last goes: after so many packets, or at a time. */
    void until(long packet, long nanos) {
        duePackets[count - 1] = packet;
        dueNanos[count - 1] = nanos;
    }

    /** Lets go what is due, as far as it can be sent. */
    void release(long packet, long nanos, Release release) {
        for (int i = count - 1; i >= 0; i--) {
            if (packet >= duePackets[i] || nanos - dueNanos[i] >= 0) {
                if (!release.packet(paths[i], room(i), lengths[i], bits[i])) {
                    return;
                }
                remove(i);
            }
        }
    }

    private void remove(int place) {
        int last = --count;
        if (place != last) {
            OffHeap.copy(room(last), room(place), lengths[last]);
            paths[place] = paths[last];
            lengths[place] = lengths[last];
            bits[place] = bits[last];
            duePackets[place] = duePackets[last];
            dueNanos[place] = dueNanos[last];
        }
        paths[last] = null;
    }

    /** The time until the first is due by time; never negative, and no longer than a limit. */
    long left(long nanos, long limit) {
        long left = limit;
        for (int i = 0; i < count; i++) {
            left = Math.min(left, Math.max(0, dueNanos[i] - nanos));
        }
        return left;
    }
}
