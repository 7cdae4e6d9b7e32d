package io.verbena.nic;

import io.verbena.rc.packet.Icrc;
import io.verbena.rc.packet.IcrcPath;
import io.verbena.rc.packet.PacketView;
import io.verbena.verbs.Gid;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.Random;

/** Somebody at an address, at a port of his own, who sends what he likes to the RoCE port of a NIC. */
final class HostilePackets implements AutoCloseable {
    private static final int MOST_BYTES = 4_600;
    private static final int ICRC_BYTES = 4;
    private static final int BTH_BYTES = 12;
    private static final int FEW_PSNS = 16;
    private static final int QPN_MASK = 0xFF_FFFF;
    /** The opcodes that are spoken, and some that are not. */
    private static final int OPCODES = 0x70;

    private final Random random;
    private final DatagramChannel channel;
    private final InetSocketAddress to;
    private final IcrcPath path;
    private final ByteBuffer packet = ByteBuffer.allocateDirect(MOST_BYTES);
    private final MemorySegment memory = MemorySegment.ofBuffer(packet);
    private final Icrc icrc = new Icrc(memory);

    HostilePackets(InetAddress from, InetAddress to, long seed) throws IOException {
        random = new Random(seed);
        channel = DatagramChannel.open();
        channel.bind(new InetSocketAddress(from, 0));
        this.to = new InetSocketAddress(to, IcrcPath.ROCE_PORT);
        int port = ((InetSocketAddress) channel.getLocalAddress()).getPort();
        path = new IcrcPath(Gid.of(from), Gid.of(to), port, IcrcPath.ROCE_PORT);
    }

    /** Sends a well-made packet to a queue pair. */
    void wellMade(int qpNum) throws IOException {
        header(0x04, qpNum, random.nextInt());
        send(BTH_BYTES, true);
    }

    private void header(int opcode, int qpNum, int psn) {
        packet.clear();
        packet.put(0, (byte) opcode).put(1, (byte) 0x40).putShort(2, (short) -1);
        packet.putInt(4, qpNum & QPN_MASK).putInt(8, psn & QPN_MASK | random.nextInt(2) << 31);
    }

    /**
     * Sends a packet to a queue pair that is wrong in some way, or right by chance.
     *
     * @param service the upper bits of its opcodes: 0 RC, 0x20 UC, 0x60 UD
     * @param qpNum the queue pair
     * @param psn that it awaits
     * @param address memory that it must not touch
     */
    void mutated(int service, int qpNum, int psn, long address) throws IOException {
        int opcode = random.nextInt(16) == 0 ? random.nextInt(OPCODES) : service | random.nextInt(0x1D);
        int bytes = BTH_BYTES + 4 * random.nextInt(random.nextInt(64) == 0 ? 1_060 : 24);
        int near = psn + random.nextInt(FEW_PSNS) - FEW_PSNS / 2;
        header(opcode, qpNum, random.nextInt(4) == 0 ? random.nextInt() : near);
        for (int at = BTH_BYTES; at + 3 < bytes; at += 4) {
            packet.putInt(at, random.nextInt());
        }
        if (bytes >= BTH_BYTES + 16 && random.nextBoolean()) {
            packet.putLong(BTH_BYTES, address + random.nextInt(1 << 12) * 8L);
            packet.putInt(BTH_BYTES + 12, random.nextBoolean() ? bytes - BTH_BYTES - 16 : random.nextInt(1 << 13));
        }
        if (service == 0x60 && random.nextBoolean()) {
            packet.putInt(BTH_BYTES, End.QKEY);
        }
        switch (random.nextInt(12)) {
            case 0 -> packet.put(random.nextInt(bytes), (byte) random.nextInt());
            case 1 -> packet.put(1, (byte) random.nextInt());
            case 2 -> bytes = random.nextInt(bytes);
            default -> { }
        }
        send(bytes, random.nextInt(4) != 0);
    }

    private void send(int bytes, boolean sealed) throws IOException {
        int length = bytes + ICRC_BYTES;
        if (sealed && bytes % 4 == 0 && bytes >= BTH_BYTES && length <= PacketView.MAX_BYTES) {
            icrc.seal(path, memory.address(), bytes, 0);
        }
        packet.limit(length).position(0);
        while (channel.send(packet, to) == 0) {
            Thread.onSpinWait();
        }
        packet.clear();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
