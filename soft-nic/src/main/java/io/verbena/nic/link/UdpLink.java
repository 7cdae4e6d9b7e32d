package io.verbena.nic.link;

import io.verbena.nic.os.IncomingMessages;
import io.verbena.nic.os.OsException;
import io.verbena.nic.os.SocketAddresses;
import io.verbena.nic.os.UdpSocket;
import io.verbena.rc.packet.IcrcPath;
import io.verbena.rc.packet.PacketView;
import io.verbena.verbs.Gid;
import java.lang.foreign.Arena;

/**
 * A link over a UDP socket of Linux, port 4791 of one address: many packets for a system call, and runs of packets of
 * one length as one message (docs/decisions/0020-udp-link.md).
 */
public final class UdpLink implements SealedPackets {
    private static final int MESSAGES = 32;
    /** More than UDP carries; not a multiple of a page, lest all messages start in the same set of a cache. */
    private static final int JOINED_BYTES = 65_536 + 192;
    private static final int PACKET_BYTES = Packet.ROOM_BYTES + 192;
    private static final int SOCKET_BUFFER_BYTES = 4 << 20;

    private final Gid gid;
    private final int mtuBytes;
    private final int scope;
    private final UdpSocket socket;
    private final Arena arena = Arena.ofShared();
    private final LinkCounters counters = new LinkCounters();
    private final IncomingMessages incoming;
    private final Outbox outbox;

    private UdpLink(Gid gid, int mtuBytes, int scope, UdpSocket socket, boolean joining) {
        this.gid = gid;
        this.mtuBytes = mtuBytes;
        this.scope = scope;
        this.socket = socket;
        boolean joins = joining && socket.joinPackets();
        incoming = new IncomingMessages(arena, MESSAGES, joins ? JOINED_BYTES : PACKET_BYTES);
        outbox = new Outbox(arena, socket::send, counters, joins);
    }

    /**
     * Opens a link.
     *
     * @param gid an address of this host, not the wildcard
     * @return the link, to be closed
     * @throws io.verbena.verbs.VerbsException EADDRINUSE, EADDRNOTAVAIL or EACCES when the address can't be had
     */
    public static UdpLink open(Gid gid) {
        return open(gid, true);
    }

    static UdpLink open(Gid gid, boolean joining) {
        int scope = Interfaces.scope(gid);
        try {
            UdpSocket socket = UdpSocket.bind(
                    new SocketAddresses.Name(gid.high(), gid.low(), IcrcPath.ROCE_PORT, scope), SOCKET_BUFFER_BYTES);
            try {
                return new UdpLink(gid, Interfaces.mtuBytes(gid), scope, socket, joining);
            } catch (RuntimeException e) {
                socket.close();
                throw e;
            }
        } catch (OsException e) {
            throw BindErrors.of(gid, e);
        }
    }

    @Override
    public Gid gid() {
        return gid;
    }

    @Override
    public int mtuBytes() {
        return mtuBytes;
    }

    @Override
    public int receiveBufferBytes() {
        return socket.receiveBufferBytes();
    }

    @Override
    public LinkCounters counters() {
        return counters;
    }

    @Override
    public PacketPath pathTo(Gid peer) {
        PacketLinks.requireSameFamily(gid, peer);
        return new UdpPath(gid, peer, scope);
    }

    @Override
    public long room() {
        return outbox.room();
    }

    @Override
    public void send(PacketPath path, int bytes) {
        outbox.add((UdpPath) path, bytes);
    }

    @Override
    public void damageLast(int bit) {
        outbox.damageLast(bit);
    }

    @Override
    public void flush() {
        outbox.flush();
    }

    @Override
    public int receive(PacketReceiver receiver, int limit) {
        if (outbox.isRefused()) {
            outbox.flush();
        }
        int packets = 0;
        // What is dropped counts as well: nobody who polls may be held up by a stranger who goes on sending it.
        int taken = 0;
        while (taken < limit) {
            int most = Math.min(limit - taken, MESSAGES);
            int came = socket.receive(incoming, most);
            counters.add(LinkCounter.RECEIVE_CALLS, 1);
            for (int message = 0; message < came; message++) {
                int some = handOver(receiver, message);
                packets += some;
                taken += Math.max(1, some);
            }
            if (came < most) {
                break;
            }
        }
        return packets;
    }

    private int handOver(PacketReceiver receiver, int message) {
        int length = incoming.length(message);
        int segment = incoming.segmentBytes(message);
        counters.set(LinkCounter.KERNEL_DROPS, incoming.drops());
        if (length < 0) {
            counters.add(LinkCounter.RECEIVED_TOO_LONG, 1);
            return 0;
        }
        long address = incoming.address(message);
        long sourceHigh = incoming.sourceHigh(message);
        long sourceLow = incoming.sourceLow(message);
        int sourcePort = incoming.sourcePort(message);
        int step = segment > 0 ? segment : Math.max(1, length);
        int packets = 0;
        int whole = 0;
        int offset = 0;
        do {
            int bytes = Math.min(step, length - offset);
            if (bytes < Packet.MIN_BYTES) {
                counters.add(LinkCounter.RECEIVED_TOO_SHORT, 1);
            } else if (bytes > PacketView.MAX_BYTES) {
                counters.add(LinkCounter.RECEIVED_TOO_LONG, 1);
            } else {
                whole += bytes;
                packets++;
                receiver.onPacket(address + offset, bytes, sourceHigh, sourceLow, sourcePort);
            }
            offset += step;
        } while (offset < length);
        counters.add(LinkCounter.PACKETS_RECEIVED, packets);
        counters.add(LinkCounter.BYTES_RECEIVED, whole);
        return packets;
    }

    @Override
    public void await(long nanos) {
        socket.await(nanos, outbox.isRefused());
    }

    @Override
    public void wake() {
        socket.wake();
    }

    @Override
    public void close() {
        socket.close();
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
