package io.verbena.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.HdrHistogram.Histogram;

/** One process's half of tcp_lat: an end of a TCP connection, as {@link TcpPair} has two. */
final class TcpHalf implements Half {
    private static final int CONNECT_MILLIS = 20_000;

    private final PerfConfig config;
    private final boolean first;
    private final int connectMillis;
    private final ServerSocketChannel listener;
    private SocketChannel channel;

    TcpHalf(PerfConfig config, boolean first) {
        this(config, first, CONNECT_MILLIS);
    }

    TcpHalf(PerfConfig config, boolean first, int connectMillis) {
        this.config = config;
        this.first = first;
        this.connectMillis = connectMillis;
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
                channel = SocketChannel.open();
                channel.socket().connect(HostAndPort.of(other), connectMillis);
                TcpPair.prepare(channel, true);
            } catch (SocketTimeoutException e) {
                throw new PerfException("the server does not answer at " + other + " within " + connectMillis
                        + " ms; is TCP filtered between the two hosts?");
            } catch (IOException e) {
                throw new UncheckedIOException("no TCP connection: " + e.getMessage(), e);
            }
        }
    }

    @Override
    public void settle(ControlChannel control) {
        if (!first) {
            try {
                listener.socket().setSoTimeout(connectMillis);
                channel = TcpPair.prepare(listener.socket().accept().getChannel(), true);
            } catch (SocketTimeoutException e) {
                throw new PerfException("the client does not connect to " + describe() + " within " + connectMillis
                        + " ms; is TCP filtered between the two hosts?");
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
