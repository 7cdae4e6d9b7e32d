package io.verbena.async.handshake;

import static io.verbena.async.handshake.Bench.failure;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** A client ends with a typed error whatever a server does. */
class HostileServerTest {
    private static final HandshakeOptions PLAIN = HandshakeOptions.DEFAULT;
    private static final SharedSecret SECRET = SharedSecret.of("a secret of some length".getBytes());

    /** What a server does with a client. */
    private interface Script {
        void play(RawPeer client) throws IOException;
    }

    @Test
    void aServerThatSpeaksSomethingElseIsAProtocolError() throws Exception {
        var e = meet(PLAIN, client -> client.write("HTTP/1.1 400 Bad Request\r\n".getBytes(StandardCharsets.US_ASCII)));
        assertEquals(FailureKind.PROTOCOL, e.kind());
        assertTrue(e.getMessage().contains("right port"), e.getMessage());
    }

    @Test
    void aServerThatLeavesIsAnEnd() throws Exception {
        assertEquals(FailureKind.ENDED, meet(PLAIN, RawPeer::read).kind());
        assertEquals(FailureKind.ENDED, meet(PLAIN, client -> {
            client.read();
            client.write(FrameType.CHALLENGE, Opening.ofThisVersion(false).encode());
            client.read();
        }).kind());
    }

    @Test
    void aServerOfAnotherVersionIsAVersionError() throws Exception {
        var e = meet(PLAIN, client -> {
            client.read();
            client.write(FrameType.CHALLENGE, new byte[] {0, 3, 0, 4, 0});
            assertEquals(FailureKind.VERSION, client.readRefusal().kind());
        });
        assertEquals(FailureKind.VERSION, e.kind());
        assertFalse(e.byPeer());
    }

    @Test
    void anAnswerThatIsNoHelloIsAProtocolError() throws Exception {
        var e = meet(PLAIN, client -> {
            client.read();
            client.write(FrameType.CHALLENGE, Opening.ofThisVersion(false).encode());
            client.read();
            client.write(FrameType.ANSWER, new SignedHello(new byte[80], new byte[0]).encode());
            assertEquals(FailureKind.PROTOCOL, client.readRefusal().kind());
        });
        assertEquals(FailureKind.PROTOCOL, e.kind());
    }

    @Test
    void aServerThatHandsTheClientsOwnProofBackIsASecretError() throws Exception {
        var e = meet(PLAIN.withSecret(SECRET), client -> {
            client.read();
            client.write(FrameType.CHALLENGE, Opening.ofThisVersion(true).encode());
            client.write(FrameType.ANSWER, client.read().contents());
            assertEquals(FailureKind.SECRET, client.readRefusal().kind());
        });
        assertEquals(FailureKind.SECRET, e.kind());
        assertTrue(e.getMessage().contains("doesn't know"), e.getMessage());
    }

    @Test
    void aServerThatLeavesTheProofOutIsASecretError() throws Exception {
        var e = meet(PLAIN.withSecret(SECRET), client -> {
            client.read();
            client.write(FrameType.CHALLENGE, Opening.ofThisVersion(true).encode());
            client.read();
            client.write(
                    FrameType.ANSWER, new SignedHello(HelloCodec.encode(Hellos.of(1)), new byte[0]).encode());
            client.readRefusal();
        });
        assertEquals(FailureKind.SECRET, e.kind());
    }

    @Test
    void aServerWithNothingButAnEmptyRefusalIsARejection() throws Exception {
        var e = meet(PLAIN, client -> client.write(FrameType.REFUSED, new byte[0]));
        assertEquals(FailureKind.REJECTED, e.kind());
        assertTrue(e.byPeer());
    }

    private static HandshakeException meet(HandshakeOptions options, Script script) throws Exception {
        try (ExecutorService executor = Executors.newSingleThreadExecutor();
                var bench = new Bench(PLAIN);
                var listening = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            var played = executor.submit(() -> {
                try (var client = new RawPeer(listening.accept())) {
                    script.play(client);
                }
                return null;
            });
            var to = new InetSocketAddress(listening.getInetAddress(), listening.getLocalPort());
            var e = failure(bench.connect(options, to, Bench.TIMEOUT));
            played.get();
            return e;
        }
    }
}
