package io.verbena.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.HdrHistogram.Histogram;

/** One process's half of tcp_lat: an end of a TCP connection, as {@link TcpPair} has two. */
final class TcpHalf implements Half {
    private final PerfConfig config;
    private final boolean first;
    private final ServerSocketChannel listener;
    private SocketChannel channel;

    TcpHalf(PerfConfig config, boolean first) {
        this.config = config;
        this.first = first;
        try {
            listener = first ? null : ServerSocketChannel.open();
            if (listener != null) {
                listener.bind(new InetSocketAddress(BareUdpHalf.own(config), 0));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("no TCP socket: " + e.getMessage(), e);
        }
    }

    @Override
    public String describe() {
        return first ? "-" : HostAndPort.describe(listener.socket().getInetAddress(), listener.socket().getLocalPort());
    }

    @Override
    public void join(String other) {
        if (first) {
            try {
                channel = TcpPair.prepare(SocketChannel.open(HostAndPort.of(other)), true);
            } catch (IOException e) {
                throw new UncheckedIOException("no TCP connection: " + e.getMessage(), e);
            }
        }
    }

    @Override
    public void settle(ControlChannel control) {
        if (!first) {
            try {
                channel = TcpPair.prepare(listener.accept(), true);
            } catch (IOException e) {
                throw new UncheckedIOException("no TCP connection: " + e.getMessage(), e);
            }
        }
    }

    @Override
    public Side.Maker side(StopFlag stop, Histogram times) {
        return () -> new TcpPair.End(stop, channel, (int) config.size(), first ? times : null);
    }

    @Override
    public void close() {
        try {
            if (listener != null) {
                listener.close();
            }
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
