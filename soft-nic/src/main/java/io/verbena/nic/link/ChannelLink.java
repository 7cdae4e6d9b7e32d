package io.verbena.nic.link;

import io.verbena.rc.packet.Icrc;
import io.verbena.rc.packet.IcrcPath;
import io.verbena.rc.packet.PacketView;
import io.verbena.verbs.Errno;
import io.verbena.verbs.Gid;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;

/** Packets through the JVM's own datagram sockets; allocates. */
public final class ChannelLink implements PacketLink {
    private static final int PORT = IcrcPath.ROCE_PORT;
    private final Gid gid;
    private final DatagramChannel channel;
    private final Selector selector;
    private final MemorySegment memory = Arena.ofAuto().allocate(2L * 8192, 64);
    private final ByteBuffer in = memory.asSlice(0, 8192).asByteBuffer();
    private final ByteBuffer out = memory.asSlice(8192, 8192).asByteBuffer();
    private final Icrc icrc = new Icrc(memory);

    /** A way. */
    private record Way(Gid peer, InetSocketAddress address, IcrcPath icrc) implements PacketPath {}

    /** Opens. */
    public ChannelLink(InetAddress bind) {
        gid = Gid.of(bind);
        try {
            channel = DatagramChannel.open();
            channel.setOption(StandardSocketOptions.SO_RCVBUF, 4 << 20);
            channel.bind(new InetSocketAddress(bind, PORT));
            channel.configureBlocking(false);
            selector = Selector.open();
            channel.register(selector, SelectionKey.OP_READ);
        } catch (IOException e) {
            throw new VerbsException(Errno.EBUSY, "bind", bind + ": " + e.getMessage());
        }
    }

    @Override
    public Gid gid() {
        return gid;
    }

    @Override
    public int mtuBytes() {
        return 4096;
    }

    @Override
    public PacketPath pathTo(Gid peer) {
        return new Way(peer, new InetSocketAddress(peer.toInetAddress(), PORT), new IcrcPath(gid, peer, PORT, PORT));
    }

    @Override
    public long room() {
        return memory.address() + 8192;
    }

    @Override
    public void send(PacketPath path, int bytes) {
        Way way = (Way) path;
        int length = icrc.seal(way.icrc, room(), bytes, 0);
        out.clear().limit(length);
        try {
            channel.send(out, way.address);
        } catch (IOException e) {
            // Lost.
        }
    }

    @Override
    public void flush() {}

    @Override
    public int receive(PacketReceiver receiver, int limit) {
        try {
            for (int i = 0; i < limit; i++) {
                in.clear();
                InetSocketAddress from = (InetSocketAddress) channel.receive(in);
                if (from == null) {
                    return i;
                }
                Gid source = Gid.of(from.getAddress());
                receiver.onPacket(memory.address(), in.position(), source.high(), source.low(), from.getPort());
            }
            return limit;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void await(long nanos) {
        try {
            selector.select(Math.max(1, nanos / 1_000_000));
            selector.selectedKeys().clear();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void wake() {
        selector.wakeup();
    }

    @Override
    public void close() {
        try {
            selector.close();
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static {
        assert PacketView.MAX_BYTES < 8192;
    }
}
