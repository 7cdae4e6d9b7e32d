package io.verbena.async.handshake;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.handler.ssl.SslContext;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.UnaryOperator;

/** Connects to handshake servers. Thread-safe. */
public final class HandshakeClient {
    private final HandshakeLoop loop;
    private final HandshakeOptions options;
    private final SslContext tls;
    private final UnaryOperator<InetSocketAddress> resolver;

    /**
     * Makes a client; reads the TLS files, if there are any.
     *
     * @param loop whose threads to use; not closed
     * @param options how to shake hands
     * @throws IllegalArgumentException if a TLS file can't be used
     */
    public HandshakeClient(HandshakeLoop loop, HandshakeOptions options) {
        this(loop, options, server -> new InetSocketAddress(server.getHostString(), server.getPort()));
    }

    /** With another way to look names up, which may block. */
    HandshakeClient(HandshakeLoop loop, HandshakeOptions options, UnaryOperator<InetSocketAddress> resolver) {
        this.resolver = resolver;
        this.loop = loop;
        this.options = options;
        this.tls = options.tls() == null ? null : options.tls().forClient();
    }

    /**
     * Shakes hands up to the server's answer, for a queue pair that is in INIT.
     *
     * @param server where the server listens; a name is looked up
     * @param mine what this end says; its queue pair has its receives posted
     * @param timeout how long everything may take, up to the end of {@link Answered#ready}: 1 ms to an hour
     * @return ends with the server's answer, or exceptionally with a {@link HandshakeException}, within the timeout;
     *     cancelling it ends the handshake
     * @throws IllegalArgumentException for a timeout out of its range
     * @throws java.util.concurrent.RejectedExecutionException if the loop is closed
     */
    public CompletableFuture<Answered> connect(InetSocketAddress server, Hello mine, Duration timeout) {
        HandshakeOptions.checkTimeout(timeout);
        var session = new ClientSession(loop, options.secret(), tls, mine);
        loop.events().execute(() -> {
            session.limit(timeout.toNanos());
            if (server.isUnresolved()) {
                loop.lookups().execute(() -> resolve(session, server));
            } else {
                open(session, server);
            }
        });
        session.answered().whenComplete((answer, failure) -> {
            if (session.answered().isCancelled()) {
                session.refuse(new HandshakeException(FailureKind.CLOSED, "the client cancelled the handshake"));
            }
        });
        return session.answered();
    }

    private void resolve(ClientSession session, InetSocketAddress server) {
        if (session.answered().isDone()) {
            // It was given up while others were looked up.
            return;
        }
        var resolved = resolver.apply(server);
        try {
            loop.events().execute(() -> onResolved(session, server, resolved));
        } catch (RejectedExecutionException e) {
            // The loop was closed meanwhile, and has failed the session.
            assert loop.events().isShuttingDown() : e;
        }
    }

    private void onResolved(ClientSession session, InetSocketAddress server, InetSocketAddress resolved) {
        if (resolved.isUnresolved()) {
            session.fail(new HandshakeException(
                    FailureKind.UNREACHABLE,
                    "the host name " + server.getHostString() + " is unknown; check it, or give an address"));
        } else {
            open(session, resolved);
        }
    }

    private void open(ClientSession session, InetSocketAddress server) {
        if (session.isOver()) {
            return;
        }
        loop.client()
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 0)
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        var handler = tls == null
                                ? null
                                : tls.newHandler(channel.alloc(), server.getHostString(), server.getPort());
                        session.install(channel, handler);
                    }
                })
                .connect(server)
                .addListener((ChannelFuture connected) -> {
                    if (!connected.isSuccess()) {
                        session.fail(unconnected(server, connected.cause()));
                    }
                });
    }

    private static HandshakeException unconnected(InetSocketAddress server, Throwable cause) {
        if (cause instanceof ConnectException
                && !(cause instanceof ConnectTimeoutException)
                && String.valueOf(cause.getMessage()).contains("refused")) {
            return new HandshakeException(
                    FailureKind.REFUSED,
                    "nobody listens on port " + server.getPort() + " of " + server.getHostString()
                            + "; start the server first, or check address and port",
                    cause);
        }
        return new HandshakeException(
                FailureKind.UNREACHABLE, server + " can't be reached: " + cause.getMessage(), cause);
    }
}
