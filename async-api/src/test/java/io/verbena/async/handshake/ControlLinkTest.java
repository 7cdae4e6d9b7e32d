package io.verbena.async.handshake;

import static io.verbena.async.handshake.TestAcceptor.next;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;

/** What one end hears of the other's end. */
class ControlLinkTest {
    private static final HandshakeOptions PLAIN = HandshakeOptions.DEFAULT;

    @Test
    void anEndInOrderIsHeardByTheOtherEndOnly() throws Exception {
        try (var bench = new Bench(PLAIN)) {
            var client = bench.join(PLAIN);
            var server = next(bench.acceptor.links);
            var atClient = listen(client);
            var atServer = listen(server);
            client.disconnect();
            client.disconnect();
            client.close();
            assertEquals(ControlLink.End.DISCONNECTED, next(atServer));
            server.close();
            assertTrue(atClient.isEmpty() && atServer.isEmpty(), "heard of its own end, or twice");
        }
    }

    @Test
    void aDeadPeerIsHeardOfAtOnce() throws Exception {
        try (var bench = new Bench(PLAIN)) {
            try (var peer = RawPeer.connect(bench.server.address())) {
                peer.hello();
                peer.write(FrameType.READY, new byte[0]);
                assertEquals(FrameType.READY_ACK, peer.read().type());
            }
            assertEquals(ControlLink.End.LOST, next(listen(next(bench.acceptor.links))));
        }
    }

    @Test
    void nonsenseAfterTheHandshakeIsAnEnd() throws Exception {
        try (var bench = new Bench(PLAIN); var peer = RawPeer.connect(bench.server.address())) {
            peer.hello();
            peer.write(FrameType.READY, new byte[0]);
            assertEquals(FrameType.READY_ACK, peer.read().type());
            var ends = listen(next(bench.acceptor.links));
            peer.write(FrameType.READY, new byte[0]);
            assertEquals(ControlLink.End.LOST, next(ends));
            peer.awaitEnd();
        }
    }

    @Test
    void aLinkThatClosesWithoutAWordIsLostToTheOtherEnd() throws Exception {
        try (var bench = new Bench(PLAIN)) {
            var client = bench.join(PLAIN);
            var ends = listen(client);
            next(bench.acceptor.links).close();
            assertEquals(ControlLink.End.LOST, next(ends));
            assertThrows(IllegalStateException.class, () -> client.onEnd(how -> {}));
        }
    }

    @Test
    void aLoopThatClosesIsTheEndOfItsLinks() throws Exception {
        try (var bench = new Bench(PLAIN)) {
            bench.join(PLAIN);
            var ends = listen(next(bench.acceptor.links));
            bench.clientLoop.close();
            assertEquals(ControlLink.End.LOST, next(ends));
            bench.clientLoop.close();
        }
    }

    @Test
    void nothingOfAClosedLoopRunsOn() throws Exception {
        var bench = new Bench(PLAIN);
        bench.join(PLAIN);
        bench.close();
        var deadline = System.nanoTime() + 20_000_000_000L;
        while (threads() > 0 && System.nanoTime() < deadline) {
            Thread.onSpinWait();
        }
        assertEquals(0, threads());
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(t -> t.getName().startsWith("test-server") || t.getName().startsWith("test-client"))
                .count();
    }

    private static BlockingQueue<ControlLink.End> listen(ControlLink link) {
        var ends = new LinkedBlockingQueue<ControlLink.End>();
        link.onEnd(ends::add);
        return ends;
    }
}
