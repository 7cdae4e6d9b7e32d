package io.verbena.rc.packet;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Native memory for one packet in tests. */
final class PacketMemory implements AutoCloseable {
    final MemorySegment segment;
    private final Arena arena = Arena.ofConfined();

    PacketMemory() {
        segment = arena.allocate(2L * PacketView.MAX_BYTES, 64);
    }

    long address() {
        return segment.address();
    }

    /** Puts bytes at the start. */
    void put(byte[] bytes) {
        MemorySegment.copy(bytes, 0, segment, ValueLayout.JAVA_BYTE, 0, bytes.length);
    }

    byte[] get(int length) {
        return segment.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
    }

    void flip(long bit) {
        byte value = segment.get(ValueLayout.JAVA_BYTE, bit / 8);
        segment.set(ValueLayout.JAVA_BYTE, bit / 8, (byte) (value ^ 1 << bit % 8));
    }

    @Override
    public void close() {
        arena.close();
    }
}
