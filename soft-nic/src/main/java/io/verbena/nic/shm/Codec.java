package io.verbena.nic.shm;

import io.verbena.nic.os.UnixSocket;
import io.verbena.verbs.Gid;
import io.verbena.verbs.RouteHeader;
import java.net.ProtocolException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Messages as bytes: a magic number, the kind, then the fields in order, little-endian. {@link Message.Hello},
 * {@link Message.Welcome} and {@link Message.Refused} stay as they are in all versions, so that two versions can tell
 * each other that they do not fit.
 */
final class Codec {
    /** What both ends must speak. Changes with every change of a message or of the layout of shared memory. */
    static final int VERSION = 3;

    private static final int MAGIC = 0x4E42_5256; // "VRBN"
    private static final int MAX_TEXT_BYTES = 1024;
    private static final int MAX_DATAGRAM_BYTES = 4_096;
    private static final int SHORT_BYTES = 192;
    private static final int HELLO = 1;
    private static final int WELCOME = 2;
    private static final int REFUSED = 3;
    private static final int DONE = 4;
    private static final int OPEN_QUEUE_PAIR = 5;
    private static final int QUEUE_PAIR_OPENED = 6;
    private static final int CLOSE_QUEUE_PAIR = 7;
    private static final int OPEN_REGION = 8;
    private static final int REGION_OPENED = 9;
    private static final int NOTICE = 10;
    private static final int RING = 11;
    private static final int ROOM = 12;
    private static final int ASKED = 13;
    private static final int DATAGRAM = 14;
    private static final int JOINED = 15;
    private static final int ALIVE = 16;
    private static final int COURIER = 17;

    private Codec() {}

    /** Writes a message. */
    static byte[] encode(Message message) {
        ByteBuffer out = ByteBuffer.allocate(mostBytes(message)).order(ByteOrder.LITTLE_ENDIAN).putInt(MAGIC);
        switch (message) {
            case Message.Hello m -> gid(out.putInt(HELLO).putInt(m.version()), m.gid()).putLong(m.pid());
            case Message.Courier m -> gid(out.putInt(COURIER).putInt(m.version()), m.gid());
            case Message.Welcome m ->
                gid(out.putInt(WELCOME).putInt(m.version()), m.gid()).putLong(m.boardBytes());
            case Message.Refused m -> text(out.putInt(REFUSED).putInt(m.errno()), m.reason());
            case Message.Done() -> out.putInt(DONE);
            case Message.OpenQueuePair m -> out.putInt(OPEN_QUEUE_PAIR).putInt(m.qpNum()).putInt(m.userQpNum());
            case Message.QueuePairOpened m -> attention(geometry(out.putInt(QUEUE_PAIR_OPENED), m.geometry())
                    .putInt(m.service().type()).put((byte) (m.service().draws() ? 1 : 0))
                    .putInt(m.domain()).putLong(m.lives()).putLong(m.next()).putInt(m.psn()), m.attention());
            case Message.CloseQueuePair m -> out.putInt(CLOSE_QUEUE_PAIR).putInt(m.qpNum()).putInt(m.userQpNum());
            case Message.OpenRegion m -> out.putInt(OPEN_REGION).putInt(m.rkey());
            case Message.RegionOpened m ->
                out.putInt(REGION_OPENED).putLong(m.allocationBytes()).putLong(m.start()).putLong(m.bytes());
            case Message.Ring() -> out.putInt(RING);
            case Message.Room m -> out.putInt(ROOM).putInt(m.qpNum()).putInt(m.userQpNum()).putLong(m.bytes());
            case Message.Datagram m -> gid(out.putInt(DATAGRAM), m.to()).putInt(m.ends().qpNum())
                    .putInt(m.ends().qkey()).putInt(m.ends().sourceQpNum())
                    .putInt(m.imm()).putInt(m.flags()).put(m.header())
                    .putInt(m.payload().length).put(m.payload());
            case Message.Joined() -> out.putInt(JOINED);
            case Message.Asked m -> out.putInt(ASKED).putInt(m.qpNum()).putInt(m.userQpNum());
            case Message.Alive() -> out.putInt(ALIVE);
            case Message.Notice m -> out.putInt(NOTICE).putInt(m.qpNum()).putInt(m.userQpNum()).putInt(m.kind());
        }
        byte[] bytes = new byte[out.position()];
        out.flip().get(bytes);
        return bytes;
    }

    /** Room for a message: little for those that are sent often. */
    private static int mostBytes(Message message) {
        return switch (message) {
            case Message.Datagram datagram -> SHORT_BYTES + datagram.payload().length;
            case Message.Refused refused -> UnixSocket.MAX_MESSAGE_BYTES;
            default -> SHORT_BYTES;
        };
    }

    private static ByteBuffer gid(ByteBuffer out, Gid gid) {
        return out.putLong(gid.high()).putLong(gid.low());
    }

    private static void text(ByteBuffer out, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.putInt(Math.min(bytes.length, MAX_TEXT_BYTES)).put(bytes, 0, Math.min(bytes.length, MAX_TEXT_BYTES));
    }

    private static ByteBuffer geometry(ByteBuffer out, QueuePairGeometry geometry) {
        return out.putInt(geometry.slots()).putInt(geometry.maxSge()).putLong(geometry.postedAt())
                .putLong(geometry.receivesAt()).putInt(geometry.receiveShift()).putLong(geometry.inboxBytes())
                .putLong(geometry.completionsAt());
    }

    private static void attention(ByteBuffer out, Attention attention) {
        out.putInt(attention.slot()).putLong(attention.armedAt()).putLong(attention.sleepersAt())
                .putInt(attention.ear());
    }

    /**
     * Reads a message.
     *
     * @throws ProtocolException when the bytes are none
     */
    static Message decode(byte[] bytes) throws ProtocolException {
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        try {
            if (in.getInt() != MAGIC) {
                throw new ProtocolException("not a message between software NICs: it does not start with VRBN");
            }
            Message message = decode(in.getInt(), in);
            if (in.hasRemaining()) {
                throw new ProtocolException(in.remaining() + " bytes too many in a "
                        + message.getClass().getSimpleName());
            }
            return message;
        } catch (BufferUnderflowException e) {
            throw new ProtocolException("a message of " + bytes.length + " bytes is cut short");
        }
    }

    private static Message decode(int kind, ByteBuffer in) throws ProtocolException {
        return switch (kind) {
            case HELLO -> new Message.Hello(in.getInt(), gid(in), in.getLong());
            case COURIER -> new Message.Courier(in.getInt(), gid(in));
            case WELCOME -> new Message.Welcome(in.getInt(), gid(in), in.getLong());
            case REFUSED -> new Message.Refused(in.getInt(), text(in));
            case DONE -> new Message.Done();
            case OPEN_QUEUE_PAIR -> new Message.OpenQueuePair(in.getInt(), in.getInt());
            case QUEUE_PAIR_OPENED -> new Message.QueuePairOpened(new QueuePairGeometry(in.getInt(), in.getInt(),
                    in.getLong(), in.getLong(), in.getInt(), in.getLong(), in.getLong()),
                    new Message.Service(in.getInt(), in.get() != 0), in.getInt(), in.getLong(), in.getLong(),
                    in.getInt(), new Attention(in.getInt(), in.getLong(), in.getLong(), in.getInt()));
            case CLOSE_QUEUE_PAIR -> new Message.CloseQueuePair(in.getInt(), in.getInt());
            case OPEN_REGION -> new Message.OpenRegion(in.getInt());
            case REGION_OPENED -> new Message.RegionOpened(in.getLong(), in.getLong(), in.getLong());
            case RING -> new Message.Ring();
            case ROOM -> new Message.Room(in.getInt(), in.getInt(), in.getLong());
            case DATAGRAM -> new Message.Datagram(gid(in),
                    new Message.DatagramEnds(in.getInt(), in.getInt(), in.getInt()), in.getInt(), in.getInt(),
                    bytes(in, RouteHeader.BYTES), payload(in));
            case JOINED -> new Message.Joined();
            case ASKED -> new Message.Asked(in.getInt(), in.getInt());
            case ALIVE -> new Message.Alive();
            case NOTICE -> new Message.Notice(in.getInt(), in.getInt(), in.getInt());
            default -> throw new ProtocolException("message kind " + kind + " is not known in version " + VERSION);
        };
    }

    private static Gid gid(ByteBuffer in) {
        return new Gid(in.getLong(), in.getLong());
    }

    private static byte[] bytes(ByteBuffer in, int length) {
        byte[] bytes = new byte[length];
        in.get(bytes);
        return bytes;
    }

    private static byte[] payload(ByteBuffer in) throws ProtocolException {
        int length = in.getInt();
        if (length < 0 || length > MAX_DATAGRAM_BYTES) {
            throw new ProtocolException("a datagram of " + length + " bytes; up to " + MAX_DATAGRAM_BYTES
                    + " are possible");
        }
        return bytes(in, length);
    }

    private static String text(ByteBuffer in) throws ProtocolException {
        int length = in.getInt();
        if (length < 0 || length > MAX_TEXT_BYTES) {
            throw new ProtocolException("a text of " + length + " bytes; up to " + MAX_TEXT_BYTES + " are possible");
        }
        byte[] bytes = new byte[length];
        in.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
