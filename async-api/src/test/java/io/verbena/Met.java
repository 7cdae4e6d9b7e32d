package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A server and a client that connect by address, each with a node of its own; what failed at the server. */
final class Met implements AutoCloseable {
    static final long DEADLINE_SECONDS = 30;
    final RdmaNode serving;
    final RdmaNode asking;
    final RdmaServer server;
    final BlockingQueue<RdmaConnectException> failures = new LinkedBlockingQueue<>();

    private final ConnectionConfig usual;

    Met(String link) {
        this(link, ConnectionConfig.DEFAULT, HandshakeConfig.DEFAULT, Admission.EVERYBODY);
    }

    Met(String link, ConnectionConfig connection, HandshakeConfig handshake, Admission admission) {
        serving = RdmaNode.open(TestDevices.device(0, link));
        asking = RdmaNode.open(TestDevices.device(1, link));
        usual = TestDevices.fit(link, ConnectionConfig.DEFAULT);
        server = serving.listen(anyPort(), TestDevices.fit(link, connection), handshake, admission);
        server.onFailure((from, why) -> failures.add(why));
    }

    static InetSocketAddress anyPort() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    CompletableFuture<RdmaConnection> ask() {
        return ask(HandshakeConfig.DEFAULT);
    }

    CompletableFuture<RdmaConnection> ask(HandshakeConfig handshake) {
        return asking.connect(server.address(), usual, handshake);
    }

    RdmaConnection accept() throws Exception {
        return get(server.accept());
    }

    static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    }

    /** How the client's attempt fails. */
    static RdmaConnectException failure(CompletableFuture<?> future) {
        var e = assertThrows(ExecutionException.class, () -> future.get(DEADLINE_SECONDS, TimeUnit.SECONDS));
        return assertInstanceOf(RdmaConnectException.class, e.getCause());
    }

    /** Both ends fail alike, and nothing is left at either. */
    void bothFail(RdmaConnectException.Kind kind, CompletableFuture<?> asked) throws Exception {
        assertEquals(kind, failure(asked).kind());
        var atServer = failures.poll(DEADLINE_SECONDS, TimeUnit.SECONDS);
        assertEquals(kind, atServer == null ? null : atServer.kind());
        nothingIsLeft();
    }

    void nothingIsLeft() {
        Waiting.until("connections are left", () -> serving.connections() == 0 && asking.connections() == 0);
    }

    /** Sends a text one way. */
    static void talk(RdmaNode node, RdmaConnection from, RdmaConnection to, String text) throws Exception {
        try (var memory = node.memory().allocate(text.length())) {
            memory.writable().copyFrom(MemorySegment.ofArray(text.getBytes()));
            var sent = from.send(memory);
            try (var message = get(to.receive())) {
                assertEquals(text, new String(message.toArray()));
            }
            get(sent);
        }
    }

    @Override
    public void close() {
        asking.close();
        serving.close();
    }
}
