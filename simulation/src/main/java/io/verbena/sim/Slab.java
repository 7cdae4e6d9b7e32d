package io.verbena.sim;

import io.verbena.rc.packet.Icrc;
import io.verbena.rc.packet.IcrcPath;
import io.verbena.rc.packet.PacketView;
import io.verbena.verbs.Gid;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Memory for the packets under way, and their CRC; kept from run to run. One thread. */
final class Slab implements AutoCloseable {
    private static final int PACKETS = 4096;
    private static final int STRIDE = PacketView.MAX_BYTES + 63 & -64;
    private static final Gid[] V4 = {new Gid(0, 0xFFFF_0A00_0001L), new Gid(0, 0xFFFF_0A00_0002L)};
    private static final Gid[] V6 = {new Gid(0xFD00L << 48, 1), new Gid(0xFD00L << 48, 2)};

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment memory = arena.allocate((long) (PACKETS + 1) * STRIDE, 64);
    private final Icrc icrc = new Icrc(memory);
    private final IcrcPath[] paths = new IcrcPath[4];
    private final int[] free = new int[PACKETS];
    private int freeCount;

    Slab() {
        for (int i = 0; i < 4; i++) {
            Gid[] gids = i < 2 ? V4 : V6;
            paths[i] = new IcrcPath(gids[i & 1], gids[1 - (i & 1)], 0xC000, IcrcPath.ROCE_PORT);
        }
        clear();
    }

    /** Frees every place. */
    void clear() {
        for (int i = 0; i < PACKETS; i++) {
            free[i] = PACKETS - 1 - i;
        }
        freeCount = PACKETS;
    }

    boolean hasFree() {
        return freeCount > 0;
    }

    int take() {
        return free[--freeCount];
    }

    void release(int place) {
        free[freeCount++] = place;
    }

    /** Where packets are written before they are sent. */
    long scratch() {
        return address(PACKETS);
    }

    long address(int place) {
        return memory.address() + (long) place * STRIDE;
    }

    void copyScratch(int place, int length) {
        MemorySegment.copy(memory, (long) PACKETS * STRIDE, memory, (long) place * STRIDE, length);
    }

    void copy(int from, int to, int length) {
        MemorySegment.copy(memory, (long) from * STRIDE, memory, (long) to * STRIDE, length);
    }

    byte[] bytes(int place, int length) {
        return memory.asSlice((long) place * STRIDE, length).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
    }

    void flip(int place, long bit) {
        long at = (long) place * STRIDE + bit / 8;
        byte value = memory.get(java.lang.foreign.ValueLayout.JAVA_BYTE, at);
        memory.set(java.lang.foreign.ValueLayout.JAVA_BYTE, at, (byte) (value ^ 1 << bit % 8));
    }

    private IcrcPath path(boolean ipv4, boolean fromFirst) {
        return paths[(ipv4 ? 0 : 2) + (fromFirst ? 0 : 1)];
    }

    /** The address that an end has. */
    static Gid gid(boolean ipv4, boolean first) {
        return (ipv4 ? V4 : V6)[first ? 0 : 1];
    }

    /** Adds the CRC to the packet in the scratch place; returns its length. */
    int seal(boolean ipv4, boolean fromFirst, int length, int identification) {
        return icrc.seal(path(ipv4, fromFirst), scratch(), length, ipv4 ? identification : 0);
    }

    boolean verify(boolean ipv4, boolean fromFirst, int place, int length) {
        return icrc.verify(path(ipv4, fromFirst), address(place), length);
    }

    @Override
    public void close() {
        arena.close();
    }
}
