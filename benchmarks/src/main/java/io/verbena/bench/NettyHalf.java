package io.verbena.bench;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SelectStrategy;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.SocketChannel;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.HdrHistogram.Histogram;

/**
 * One process's half of netty_lat: an end of a TCP connection of Netty's epoll transport, whose event loop never
 * sleeps. The exchange happens on the event loop, where Netty's users would have it.
 */
final class NettyHalf implements Half {
    private static final int CONNECT_SECONDS = 20;

    private final PerfConfig config;
    private final boolean first;
    private final EventLoopGroup group;
    private final CompletableFuture<SocketChannel> connected = new CompletableFuture<>();
    private Channel listener;
    private NettyPing ping;

    NettyHalf(PerfConfig config, boolean first) {
        this.config = config;
        this.first = first;
        if (!Epoll.isAvailable()) {
            throw new PerfException("Netty's epoll transport does not run here: " + Epoll.unavailabilityCause());
        }
        SelectStrategy busy = (supplier, hasTasks) -> hasTasks ? supplier.get() : SelectStrategy.BUSY_WAIT;
        group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory(0, () -> busy));
        if (!first) {
            listener = new ServerBootstrap().group(group).channel(EpollServerSocketChannel.class)
                    .childOption(ChannelOption.TCP_NODELAY, true).childHandler(onConnect())
                    .bind(new InetSocketAddress(BareUdpHalf.own(config), 0)).syncUninterruptibly().channel();
        }
    }

    private ChannelInitializer<SocketChannel> onConnect() {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(SocketChannel channel) {
                connected.complete(channel);
            }
        };
    }

    @Override
    public String describe() {
        if (first) {
            return "-";
        }
        InetSocketAddress address = (InetSocketAddress) listener.localAddress();
        return HostAndPort.describe(address.getAddress(), address.getPort());
    }

    @Override
    public void join(String other) {
        if (first) {
            new Bootstrap().group(group).channel(EpollSocketChannel.class).option(ChannelOption.TCP_NODELAY, true)
                    .handler(onConnect()).connect(HostAndPort.of(other)).syncUninterruptibly();
        }
    }

    @Override
    public void settle(ControlChannel channel) {
        try {
            connected.get(CONNECT_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new PerfException("Netty does not connect the two processes");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PerfException("interrupted");
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    @Override
    public Side.Maker side(StopFlag stop, Histogram times) {
        return () -> {
            ping = new NettyPing(stop, connected.join(), (int) config.size(), first ? times : null);
            return ping;
        };
    }

    @Override
    public void close() {
        if (ping != null) {
            ping.release();
        }
        group.shutdownGracefully(0, CONNECT_SECONDS, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
