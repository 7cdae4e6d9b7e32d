package io.verbena.async.handshake;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;

/** Listens for clients, and shakes hands with each. Thread-safe. */
public final class HandshakeServer implements AutoCloseable {
    private static final long PAUSE_NANOS = 100_000;
    private static final long MAX_WAIT_NANOS = 1_000_000_000;

    private final HandshakeLoop loop;
    private final HandshakeOptions options;
    private final SslContext tls;
    private final Acceptor acceptor;
    private final Places places;

    private final ServerSocketChannel socket;
    private Channel listening;

    private HandshakeServer(HandshakeLoop loop, HandshakeOptions options, Acceptor acceptor) {
        this.loop = loop;
        this.options = options;
        this.tls = options.tls() == null ? null : options.tls().forServer();
        this.acceptor = acceptor;
        this.places = new Places(options.maxPending());
        // Last, so that nothing is left open when a TLS file can't be used.
        this.socket = openSocket();
    }

    /**
     * Starts listening.
     *
     * @param loop whose threads to use; not closed
     * @param address where; port 0 for any free one
     * @param options how to shake hands
     * @param acceptor the program behind it
     * @return the server
     * @throws HandshakeException FAILED if it can't listen there
     * @throws IllegalArgumentException if a TLS file can't be used
     */
    public static HandshakeServer bind(
            HandshakeLoop loop, InetSocketAddress address, HandshakeOptions options, Acceptor acceptor) {
        if (address.isUnresolved()) {
            throw new HandshakeException(FailureKind.FAILED, "can't listen at " + address.getHostString()
                    + ", an unknown host name; give a name or address of this host");
        }
        var server = new HandshakeServer(loop, options, acceptor);
        var bound = loop.server(server.socket)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        server.admit(channel);
                    }
                })
                .bind(address)
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new HandshakeException(
                    FailureKind.FAILED,
                    "can't listen on port " + address.getPort() + " of " + address.getHostString() + ": "
                            + bound.cause().getMessage()
                            + "; choose an address of this host and another port, or 0 for any free one",
                    bound.cause());
        }
        server.listening = bound.channel();
        return server;
    }

    private static ServerSocketChannel openSocket() {
        try {
            return ServerSocketChannel.open();
        } catch (IOException e) {
            throw new HandshakeException(FailureKind.FAILED, "can't open a socket: " + e.getMessage(), e);
        }
    }

    private void admit(Channel channel) {
        var session =
                new ServerSession(loop, options.secret(), tls, acceptor, places, channel.remoteAddress());
        var hasPlace = places.enter(session);
        if (!hasPlace && tls != null) {
            // Telling it would take a TLS handshake, which is what there is no place for.
            channel.close();
            return;
        }
        session.admit(hasPlace);
        if (tls != null) {
            channel.pipeline().addLast(new TlsGate(session));
        }
        session.install(channel, tls == null ? null : tls.newHandler(channel.alloc()));
        session.limit(options.timeout().toNanos());
    }

    /**
     * Where it listens.
     *
     * @return its address with the port it got
     */
    public InetSocketAddress address() {
        return (InetSocketAddress) listening.localAddress();
    }

    /**
     * Stops listening and ends the handshakes under way; connections that are established stay. Returns when the port
     * is free, unless a thread of the loop calls. Closing twice does nothing.
     */
    @Override
    public void close() {
        var closed = listening.close();
        try {
            loop.events().execute(places::close);
        } catch (RejectedExecutionException e) {
            // The loop is closed, which has ended everything.
            return;
        }
        if (!loop.events().inEventLoop()) {
            closed.awaitUninterruptibly();
            awaitFreePort();
        }
    }

    /** Java lets go of a closed socket only with the loop's next look at all sockets; until then clients get in. */
    private void awaitFreePort() {
        var start = System.nanoTime();
        try {
            do {
                loop.events().submit(() -> {}).awaitUninterruptibly();
                LockSupport.parkNanos(PAUSE_NANOS);
            } while (socket.isRegistered() && System.nanoTime() - start < MAX_WAIT_NANOS);
            loop.events().submit(() -> {}).awaitUninterruptibly();
        } catch (RejectedExecutionException e) {
            // The loop is closed, and with it the socket.
            return;
        }
    }
}
