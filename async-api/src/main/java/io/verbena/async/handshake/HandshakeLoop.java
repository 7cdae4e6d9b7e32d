package io.verbena.async.handshake;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.nio.channels.ServerSocketChannel;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * The threads that shake hands: one that waits for all sockets and never blocks, and others, which end when there is
 * nothing to do, for what may take a while. There are as many as block, up to a bound, and names are looked up by
 * threads of their own, so that one end that is slow, or has a slow name, delays no other. All are daemons.
 * Thread-safe.
 */
public final class HandshakeLoop implements AutoCloseable {
    private static final int MAX_WORKERS = 64;
    static final int MAX_LOOKUPS = 64;
    private static final int READ_BYTES = 2048;
    private static final long CLOSE_SECONDS = 5;
    private static final ByteBufAllocator ALLOCATOR = new UnpooledByteBufAllocator(false);

    private final EventLoopGroup group;
    private final EventLoop events;
    private final ThreadGroup workerThreads;
    private final GrowingPool workers;
    private final GrowingPool lookups;
    /** Handshakes under way. Only the thread of the events looks at it. */
    private final Set<Session> sessions = new HashSet<>();

    /**
     * Starts the thread that waits for sockets.
     *
     * @param name how its threads are called
     */
    public HandshakeLoop(String name) {
        group = new MultiThreadIoEventLoopGroup(
                1, Thread.ofPlatform().daemon().name(name).factory(), NioIoHandler.newFactory());
        events = group.next();
        workerThreads = new ThreadGroup(name);
        workers = new GrowingPool(
                MAX_WORKERS, Thread.ofPlatform().group(workerThreads).daemon().name(name + "-worker-", 0).factory());
        lookups = new GrowingPool(MAX_LOOKUPS, Thread.ofPlatform().daemon().name(name + "-lookup-", 0).factory());
    }

    Bootstrap client() {
        return new Bootstrap()
                .group(events)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.ALLOCATOR, ALLOCATOR)
                .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(READ_BYTES))
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_KEEPALIVE, true);
    }

    ServerBootstrap server(ServerSocketChannel socket) {
        return new ServerBootstrap()
                .group(events)
                .channelFactory(() -> new NioServerSocketChannel(socket))
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.ALLOCATOR, ALLOCATOR)
                .childOption(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(READ_BYTES))
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true);
    }

    EventLoop events() {
        return events;
    }

    /** For queue pairs, callbacks, and telling of what has happened. */
    Executor workers() {
        return workers;
    }

    /** For names, which may take as long as a name server likes. */
    Executor lookups() {
        return lookups;
    }

    void remember(Session session) {
        sessions.add(session);
    }

    void forget(Session session) {
        sessions.remove(session);
    }

    private void endAll() {
        List.copyOf(sessions).forEach(session -> session.fail(
                new HandshakeException(FailureKind.CLOSED, "this end was closed while the handshake was under way")));
    }

    /**
     * Ends every handshake and every control link of this loop, and its threads. Waits up to five seconds for the one
     * that waits for sockets, and as long for the others, unless one of them calls. Closing twice does nothing.
     */
    @Override
    public void close() {
        if (!group.isShuttingDown()) {
            events.execute(this::endAll);
        }
        group.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS);
        if (!events.inEventLoop()) {
            group.terminationFuture().awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
        }
        // Nobody waits for those: a lookup that ends later finds its handshake over.
        lookups.shutdown();
        workers.shutdown();
        if (!events.inEventLoop() && Thread.currentThread().getThreadGroup() != workerThreads) {
            awaitWorkers();
        }
    }

    /** Those that make queue pairs are not to go on with a device that is closed next. */
    private void awaitWorkers() {
        boolean interrupted = false;
        try {
            workers.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
