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
public final class UdpLink extends SocketLink {
    private static final int MESSAGES = 32;
    /** More than UDP carries; not a multiple of a page, lest all messages start in the same set of a cache. */
    private static final int JOINED_BYTES = 65_536 + 192;
    private static final int PACKET_BYTES = Packet.ROOM_BYTES + 192;
    private static final int SOCKET_BUFFER_BYTES = 4 << 20;

    private final UdpSocket socket;
    private final Arena arena;
    private final IncomingMessages incoming;
    private final Outbox outbox;

    // Messages that came from the system and were not handed over yet, and the place in the first of them
    private int came;
    private int message;
    private int offset;
    private int length;
    private int step;
    private long address;
    private long sourceHigh;
    private long sourceLow;
    private int sourcePort;
    private int marks;
    /** Packets handed over by the call that goes on. */
    private int handed;

    private UdpLink(Gid gid, int scope, UdpSocket socket, Arena arena, boolean joining) {
        super(gid, scope);
        this.socket = socket;
        this.arena = arena;
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
            return open(gid, scope, socket, joining);
        } catch (OsException e) {
            throw BindErrors.of(gid, e);
        }
    }

    /** Makes the link of a socket, which is closed when that fails. */
    private static UdpLink open(Gid gid, int scope, UdpSocket socket, boolean joining) {
        Arena arena = null;
        try {
            arena = Arena.ofShared();
            return new UdpLink(gid, scope, socket, arena, joining);
        } catch (RuntimeException | Error e) {
            socket.close();
            if (arena != null) {
                arena.close();
            }
            throw e;
        }
    }

    @Override
    public int receiveBufferBytes() {
        return socket.receiveBufferBytes();
    }

    @Override
    public PacketPath pathTo(Gid peer, Marks marks) {
        PacketLinks.requireSameFamily(gid(), peer);
        return new UdpPath(gid(), peer, scope, marks);
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
    public boolean isRefused() {
        return outbox.isRefused();
    }

    @Override
    public int receive(PacketReceiver receiver, int limit) {
        if (outbox.isRefused()) {
            outbox.flush();
        }
        handed = 0;
        // What is dropped counts as well: nobody who polls may be held up by a stranger who goes on sending it.
        int left = limit;
        boolean empty = false;
        while (left > 0) {
            if (message < came) {
                left -= handOver(receiver, left);
            } else if (empty) {
                break;
            } else {
                int most = Math.min(left, MESSAGES);
                message = 0;
                came = socket.receive(incoming, most);
                empty = came < most;
                counters.add(LinkCounter.RECEIVE_CALLS, 1);
            }
        }
        return handed;
    }

    @Override
    public boolean hasMore() {
        return message < came;
    }

    /** Goes on with the current message for some packets at most; returns how many there were, with dropped ones. */
    private int handOver(PacketReceiver receiver, int most) {
        if (offset == 0) {
            begin();
        }
        int taken = 0;
        // The place is moved on first: a receiver that fails costs the packet that it failed with.
        do {
            int from = offset;
            int bytes = Math.min(step, length - from);
            offset += step;
            if (offset >= length) {
                message++;
                offset = 0;
            }
            taken++;
            if (bytes > PacketView.MAX_BYTES) {
                counters.add(LinkCounter.RECEIVED_TOO_LONG, 1);
            } else if (bytes < Packet.MIN_BYTES) {
                counters.add(LinkCounter.RECEIVED_TOO_SHORT, 1);
            } else {
                handed++;
                counters.add(LinkCounter.PACKETS_RECEIVED, 1);
                counters.add(LinkCounter.BYTES_RECEIVED, bytes);
                receiver.onPacket(address + from, bytes, sourceHigh, sourceLow, sourcePort);
            }
        } while (offset != 0 && taken < most);
        return taken;
    }

    private void begin() {
        int segment = incoming.segmentBytes(message);
        counters.set(LinkCounter.KERNEL_DROPS, incoming.drops());
        int known = incoming.length(message);
        // One that did not fit is dropped by its length.
        length = known < 0 ? Integer.MAX_VALUE : known;
        step = known > 0 && segment > 0 ? segment : Math.max(1, length);
        address = incoming.address(message);
        sourceHigh = incoming.sourceHigh(message);
        sourceLow = incoming.sourceLow(message);
        sourcePort = incoming.sourcePort(message);
        marks = incoming.marks();
    }

    @Override
    public void watchMarks() {
        socket.tellMarks(gid().isIpv4());
    }

    @Override
    public int marks() {
        return marks;
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
