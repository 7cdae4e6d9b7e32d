package io.verbena.nic.link;

import io.verbena.rc.packet.Icrc;
import io.verbena.rc.packet.IcrcPath;
import io.verbena.rc.packet.PacketView;
import io.verbena.verbs.Gid;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.TimeUnit;
import jdk.net.ExtendedSocketOptions;

/**
 * A link over Java's own datagram channel: for systems other than Linux, and for JVMs without native access. A system
 * call for each packet; IPv6 packets without UDP checksum, which some NICs send, don't arrive. {@link Marks} neither
 * leave nor show: a channel has them for all its packets or for none.
 *
 * <p>{@link #receive} is the exception to the rule that a link allocates nothing: {@code DatagramChannel.receive}
 * returns an InetSocketAddress, and makes a new one for a packet whose sender differs from the last one's. A failure to
 * send makes an exception. {@link #await} counts in milliseconds, rounded up.
 *
 * <p>The CRC is right where the system gives packets that must not be fragmented the IPv4 identification 0, as Linux
 * does; Verbena's receivers accept any.
 */
public final class PortableLink extends SocketLink {
    /** The most packets between two flushes. */
    private static final int PACKETS = 64;
    private static final int UNKNOWN = -1;
    private static final int ROOM_BYTES = Packet.ROOM_BYTES;
    private static final int SOCKET_BUFFER_BYTES = 4 << 20;

    private final DatagramChannel channel;
    private final Selector selector;
    private final SelectionKey key;
    private final int receiveBufferBytes;

    private final ByteBuffer[] rooms = new ByteBuffer[PACKETS];
    private final PortablePath[] paths = new PortablePath[PACKETS];
    private final long firstRoom;
    private final Icrc icrc;
    private final Damage damage;
    private int packets;
    private int sent;
    private volatile boolean refused;

    private final ByteBuffer incoming = ByteBuffer.allocateDirect(ROOM_BYTES);
    private final long incomingAddress = MemorySegment.ofBuffer(incoming).address();
    private InetSocketAddress source;
    private Gid sourceGid = Gid.ZERO;

    private PortableLink(Gid gid, int scope, DatagramChannel channel, Selector selector) throws IOException {
        super(gid, scope);
        this.channel = channel;
        this.selector = selector;
        receiveBufferBytes = channel.getOption(StandardSocketOptions.SO_RCVBUF);
        channel.configureBlocking(false);
        key = channel.register(selector, SelectionKey.OP_READ);
        ByteBuffer memory = ByteBuffer.allocateDirect(PACKETS * ROOM_BYTES);
        MemorySegment segment = MemorySegment.ofBuffer(memory);
        firstRoom = segment.address();
        icrc = new Icrc(segment);
        damage = new Damage(icrc);
        for (int i = 0; i < PACKETS; i++) {
            rooms[i] = memory.slice(i * ROOM_BYTES, ROOM_BYTES);
        }
    }

    private static void bind(DatagramChannel channel, InetSocketAddress address) throws IOException {
        channel.setOption(StandardSocketOptions.SO_RCVBUF, SOCKET_BUFFER_BYTES);
        channel.setOption(StandardSocketOptions.SO_SNDBUF, SOCKET_BUFFER_BYTES);
        if (channel.supportedOptions().contains(ExtendedSocketOptions.IP_DONTFRAGMENT)) {
            channel.setOption(ExtendedSocketOptions.IP_DONTFRAGMENT, true);
        }
        channel.bind(address);
    }

    /**
     * Opens a link.
     *
     * @param gid an address of this host, not the wildcard
     * @return the link, to be closed
     * @throws io.verbena.verbs.VerbsException EADDRINUSE, EADDRNOTAVAIL or EACCES when the address can't be had
     */
    public static PortableLink open(Gid gid) {
        try {
            DatagramChannel channel = DatagramChannel.open(
                    gid.isIpv4() ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6);
            try {
                return open(gid, channel);
            } catch (IOException | RuntimeException | Error e) {
                channel.close();
                throw e;
            }
        } catch (IOException e) {
            throw BindErrors.of(gid, e);
        } catch (UnsupportedOperationException e) { // No IPv6 here.
            throw BindErrors.notAvailable(gid);
        }
    }

    private static PortableLink open(Gid gid, DatagramChannel channel) throws IOException {
        int scope = Interfaces.scope(gid);
        bind(channel, address(gid, scope));
        Selector selector = Selector.open();
        try {
            return new PortableLink(gid, scope, channel, selector);
        } catch (IOException | RuntimeException | Error e) {
            selector.close();
            throw e;
        }
    }

    private static InetSocketAddress address(Gid of, int scope) {
        InetAddress address = of.toInetAddress();
        if (scope != 0 && address.isLinkLocalAddress()) {
            try {
                address = Inet6Address.getByAddress(null, address.getAddress(), scope);
            } catch (UnknownHostException e) {
                throw new AssertionError("16 bytes are always an address", e);
            }
        }
        return new InetSocketAddress(address, IcrcPath.ROCE_PORT);
    }

    @Override
    public int receiveBufferBytes() {
        return receiveBufferBytes;
    }

    @Override
    public PacketPath pathTo(Gid peer, Marks marks) {
        PacketLinks.requireSameFamily(gid(), peer);
        return new PortablePath(peer, address(peer, scope),
                new IcrcPath(gid(), peer, IcrcPath.ROCE_PORT, IcrcPath.ROCE_PORT));
    }

    private long room(int packet) {
        return firstRoom + (long) packet * ROOM_BYTES;
    }

    @Override
    public long room() {
        if (packets == PACKETS) {
            flush();
            if (packets == PACKETS) {
                return 0;
            }
        }
        return room(packets);
    }

    @Override
    public void send(PacketPath path, int bytes) {
        PortablePath to = (PortablePath) path;
        rooms[packets].limit(icrc.seal(to.icrc(), room(packets), bytes, 0)).position(0);
        paths[packets++] = to;
    }

    @Override
    public void damageLast(int bit) {
        int last = packets - 1;
        damage.flip(paths[last].icrc(), room(last), rooms[last].limit(), bit);
    }

    @Override
    public void flush() {
        while (sent < packets) {
            int bytes = rooms[sent].limit();
            counters.add(LinkCounter.SEND_CALLS, 1);
            try {
                if (channel.send(rooms[sent], paths[sent].address()) == 0) {
                    counters.add(LinkCounter.SENDS_REFUSED, 1);
                    refused = true;
                    return;
                }
                counters.add(LinkCounter.PACKETS_SENT, 1);
                counters.add(LinkCounter.BYTES_SENT, bytes);
            } catch (IOException e) {
                counters.add(LinkCounter.SEND_ERRORS, 1);
            }
            sent++;
        }
        packets = 0;
        sent = 0;
        if (refused) {
            refused = false;
        }
    }

    @Override
    public boolean isRefused() {
        return refused;
    }

    @Override
    public boolean hasMore() {
        return false;
    }

    @Override
    public int receive(PacketReceiver receiver, int limit) {
        if (refused) {
            flush();
        }
        int handed = 0;
        // What is dropped counts as well: nobody who polls may be held up by a stranger who goes on sending it.
        for (int taken = 0; taken < limit && receive(); taken++) {
            int bytes = incoming.position();
            if (bytes > PacketView.MAX_BYTES) {
                counters.add(LinkCounter.RECEIVED_TOO_LONG, 1);
            } else if (bytes < Packet.MIN_BYTES) {
                counters.add(LinkCounter.RECEIVED_TOO_SHORT, 1);
            } else {
                counters.add(LinkCounter.PACKETS_RECEIVED, 1);
                counters.add(LinkCounter.BYTES_RECEIVED, bytes);
                handed++;
                receiver.onPacket(incomingAddress, bytes, sourceGid.high(), sourceGid.low(), source.getPort());
            }
        }
        return handed;
    }

    private boolean receive() {
        incoming.clear();
        counters.add(LinkCounter.RECEIVE_CALLS, 1);
        try {
            InetSocketAddress from = (InetSocketAddress) channel.receive(incoming);
            if (from == null) {
                return false;
            }
            if (from != source) {
                source = from;
                sourceGid = Gid.of(from.getAddress());
            }
            return true;
        } catch (IOException e) {
            counters.add(LinkCounter.RECEIVE_ERRORS, 1);
            return false;
        }
    }

    @Override
    public void watchMarks() {}

    @Override
    public int marks() {
        return UNKNOWN;
    }

    @Override
    public void await(long nanos) {
        try {
            key.interestOps(refused ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ);
            selector.select(Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos - 1) + 1));
            selector.selectedKeys().clear();
        } catch (ClosedSelectorException | CancelledKeyException e) {
            // Closed: nothing to wait for.
        } catch (IOException e) {
            counters.add(LinkCounter.RECEIVE_ERRORS, 1);
        }
    }

    @Override
    public void wake() {
        selector.wakeup();
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            counters.add(LinkCounter.RECEIVE_ERRORS, 1);
        }
        try {
            selector.close();
        } catch (IOException e) {
            counters.add(LinkCounter.RECEIVE_ERRORS, 1);
        }
    }
}
