package io.verbena.bench;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.util.concurrent.TimeUnit;

/**
 * bare_bw and mmsg_bw: UDP packets one way as fast as the system carries them. The receiver tells by a datagram now and
 * then how many bytes have come, so that the sender never has more under way than the socket holds and nothing is lost.
 */
final class BareStream {
    /** Packets of one call, as many as the UDP link sends with one. */
    private static final int PACKETS = 64;
    private static final int MOST_DATAGRAM = 65_507;
    private static final int NOTE_BYTES = 64;
    private static final int NOTES = 8;
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(10);
    /** Empty looks, of a microsecond each, before giving way. */
    private static final int EMPTY_LOOKS = 100;
    /** How much of a socket's buffer may be under way: the system counts more than the bytes. */
    private static final int SHARE = 4;
    private static final int MOST_UNDER_WAY = 1 << 20;

    private BareStream() {}

    /**
     * What is sent.
     *
     * @param operationBytes bytes on the wire of one operation of the verbs test: its packets with their headers
     * @param packetBytes bytes of one packet
     * @param perMessage packets that one message holds, which the system cuts and joins; 1 for a call that carries
     *     many messages
     */
    record Shape(long operationBytes, int packetBytes, int perMessage) {
        static Shape of(PerfConfig config) {
            int mtu = config.path().mtu().bytes();
            long packets = Math.max(1, (config.size() + mtu - 1) / mtu);
            int packet = (int) Math.min(mtu, config.size()) + BareUdpHalf.PACKET_EXTRA;
            int most = Math.min(PACKETS, MOST_DATAGRAM / packet);
            return new Shape(packets * packet, packet, config.test() == PerfTest.BARE_BW ? most : 1);
        }

        int messageBytes() {
            return packetBytes * perMessage;
        }

        int messages() {
            return Math.max(1, PACKETS / perMessage);
        }

        /** Bytes that must be sent for so many operations: whole messages. */
        long bytes(long operations) {
            return (operations * operationBytes + messageBytes() - 1) / messageBytes() * messageBytes();
        }
    }

    /** The sender. */
    static final class Source extends Side {
        private final BareSocket socket;
        private final Shape shape;
        private final BareSocket.Messages out;
        private final BareSocket.Messages notes;
        private final long window;
        private long sent;
        private long taken;

        Source(StopFlag stop, BareSocket socket, Shape shape) {
            super(stop);
            this.socket = socket;
            this.shape = shape;
            out = socket.outgoing(shape.messages(), shape.messageBytes(), shape.packetBytes());
            notes = socket.incoming(NOTES, NOTE_BYTES);
            window = Math.max(2L * shape.messageBytes(),
                    Math.min(MOST_UNDER_WAY, socket.receiveBufferBytes() / SHARE));
        }

        @Override
        public void run(long count) {
            long end = sent + shape.bytes(count);
            int idle = 0;
            long waitingSince = System.nanoTime();
            while (taken < end) {
                if (step(end)) {
                    idle = 0;
                    waitingSince = System.nanoTime();
                } else if (++idle == EMPTY_LOOKS) {
                    idle = giveWay();
                    if (System.nanoTime() - waitingSince > PATIENCE_NS) {
                        throw new PerfException("the system has lost UDP packets; raise net.core.rmem_max");
                    }
                }
            }
        }

        private boolean step(long end) {
            long room = Math.min(end - sent, taken + window - sent) / shape.messageBytes();
            int some = (int) Math.min(room, shape.messages());
            int gone = some > 0 ? socket.send(out, 0, some) : 0;
            sent += (long) gone * shape.messageBytes();
            int came = some > 0 && sent - taken < window / 2 ? 0 : socket.receive(notes, NOTES);
            for (int i = 0; i < came; i++) {
                taken = Math.max(taken, notes.note(i));
            }
            return gone > 0 || came > 0;
        }
    }

    /** The receiver. */
    static final class Sink extends Side {
        /** Bytes after which it tells the sender. */
        private static final int TELL_EVERY = 1 << 16;

        private final BareSocket socket;
        private final Shape shape;
        private final BareSocket.Messages in;
        private final BareSocket.Messages note;
        private long taken;
        private long told;

        Sink(StopFlag stop, BareSocket socket, Shape shape) {
            super(stop);
            this.socket = socket;
            this.shape = shape;
            if (shape.perMessage() > 1) {
                socket.joinPackets();
            }
            in = socket.incoming(shape.perMessage() > 1 ? PACKETS / 2 : PACKETS,
                    shape.perMessage() > 1 ? MOST_DATAGRAM : shape.packetBytes());
            note = socket.outgoing(1, NOTE_BYTES, NOTE_BYTES);
        }

        @Override
        public void run(long count) {
            long end = taken + shape.bytes(count);
            int idle = 0;
            while (taken < end) {
                int came = socket.receive(in, in.count());
                for (int i = 0; i < came; i++) {
                    taken += in.length(i);
                }
                if (came > 0) {
                    idle = 0;
                    tell(end);
                } else if (++idle == EMPTY_LOOKS) {
                    idle = giveWay();
                }
            }
        }

        private void tell(long end) {
            if (taken - told >= TELL_EVERY || taken >= end) {
                told = taken;
                note.buffers().set(JAVA_LONG, 0, taken);
                while (socket.send(note, 0, 1) == 0) {
                    giveWay();
                }
            }
        }
    }
}
