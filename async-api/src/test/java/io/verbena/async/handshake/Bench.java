package io.verbena.async.handshake;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** A server and a client on this machine, each with a loop of its own. */
final class Bench implements AutoCloseable {
    static final Duration TIMEOUT = Duration.ofSeconds(10);
    static final Hello MINE = Hellos.of(0x111);

    final HandshakeLoop serverLoop = new HandshakeLoop("test-server");
    final HandshakeLoop clientLoop = new HandshakeLoop("test-client");
    final TestAcceptor acceptor = new TestAcceptor();
    final HandshakeServer server;

    Bench(HandshakeOptions options) {
        server = HandshakeServer.bind(
                serverLoop, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), options, acceptor);
    }

    CompletableFuture<Answered> connect(HandshakeOptions options) {
        return connect(options, server.address(), TIMEOUT);
    }

    CompletableFuture<Answered> connect(HandshakeOptions options, InetSocketAddress to, Duration timeout) {
        return new HandshakeClient(clientLoop, options).connect(to, MINE, timeout);
    }

    /** The client's control link of a whole handshake. */
    ControlLink join(HandshakeOptions options) throws Exception {
        return get(get(connect(options)).ready());
    }

    static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(TestAcceptor.DEADLINE_SECONDS, TimeUnit.SECONDS);
    }

    static HandshakeException failure(CompletableFuture<?> future) {
        var e = assertThrows(
                ExecutionException.class, () -> future.get(TestAcceptor.DEADLINE_SECONDS, TimeUnit.SECONDS));
        return assertInstanceOf(HandshakeException.class, e.getCause());
    }

    @Override
    public void close() {
        server.close();
        clientLoop.close();
        serverLoop.close();
    }
}
