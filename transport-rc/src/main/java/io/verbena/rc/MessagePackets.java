package io.verbena.rc;

import io.verbena.rc.packet.PacketType;
import io.verbena.rc.packet.PacketWriter;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.SendFlags;

/**
 * Writes the packets of SENDs and WRITEs (IBA 9.7.2, 9.8): which opcode, which headers, which part of the bytes. The
 * same packet can be written again at any time, since nothing but the request decides what it is.
 */
final class MessagePackets {
    private static final int FIRST = 0;
    private static final int MIDDLE = 1;
    private static final int LAST = 2;
    private static final int ONLY = 3;
    /** By opcode of the request, then by place in the message; reliable, others are some codes further on. */
    private static final int[][] CODES = new int[Opcode.values().length + 4][];

    static {
        CODES[Opcode.SEND.code()] = new int[] {0x00, 0x01, 0x02, 0x04};
        CODES[Opcode.SEND_WITH_IMM.code()] = new int[] {0x00, 0x01, 0x03, 0x05};
        CODES[Opcode.SEND_WITH_INV.code()] = new int[] {0x00, 0x01, 0x16, 0x17};
        CODES[Opcode.RDMA_WRITE.code()] = new int[] {0x06, 0x07, 0x08, 0x0A};
        CODES[Opcode.RDMA_WRITE_WITH_IMM.code()] = new int[] {0x06, 0x07, 0x09, 0x0B};
    }

    private final SendSource source;
    private final Buffers buffers;
    private final int transport;
    private final int mtu;
    private final int destinationQp;
    private long bound = -1;

    MessagePackets(Host host, ConnectionConfig config, int transport) {
        source = host.sends();
        buffers = new Buffers(host.memory());
        this.transport = transport;
        mtu = config.mtuBytes();
        destinationQp = config.remoteQpNum();
    }

    /** Whether a request is a SEND or a WRITE. */
    static boolean isMessage(int opcode) {
        return opcode >= 0 && opcode < CODES.length && CODES[opcode] != null;
    }

    /** Bytes of a request's buffers. */
    static long length(SendSource source, long sequence) {
        int count = source.bufferCount(sequence);
        return count == SendSource.INLINE
                ? source.inlineLength(sequence) : Buffers.total(source.buffers(sequence), count);
    }

    /** The buffers of a request; bound until another one is asked for. */
    Buffers buffers(long sequence) {
        if (bound != sequence) {
            buffers.bind(source.buffers(sequence), source.bufferCount(sequence));
            bound = sequence;
        }
        return buffers;
    }

    /**
     * Writes one packet of a message.
     *
     * @param sequence of the request
     * @param length of the message
     * @param index of the packet in the message
     * @param packets of the message
     * @return false when the bytes may not be read
     */
    boolean write(PacketWriter writer, long sequence, long length, int index, int packets, int psn) {
        int place = packets == 1 ? ONLY : index == 0 ? FIRST : index == packets - 1 ? LAST : MIDDLE;
        PacketType type = PacketType.ofCode(CODES[source.opcode(sequence)][place] | transport);
        writer.begin(type, destinationQp, psn);
        if (type.hasReth()) {
            writer.reth(source.remoteAddress(sequence), source.rkey(sequence), length);
        }
        if (type.hasImm()) {
            writer.imm(source.imm(sequence));
        }
        if (type.hasInvalidate()) {
            writer.invalidate(source.rkey(sequence));
        }
        boolean wakes = type.isSend() || type.hasImm();
        if (type.isEnd() && wakes && (source.flags(sequence) & SendFlags.SOLICITED) != 0) {
            writer.solicited(true);
        }
        long offset = (long) index * mtu;
        int bytes = (int) Math.min(mtu, length - offset);
        if (bytes > 0 && !buffers(sequence).gather(offset, bytes, writer.payload())) {
            return false;
        }
        writer.finish(bytes);
        return true;
    }
}
