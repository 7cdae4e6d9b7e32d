package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** A peer whose process ends is noticed at once, without traffic, however seldom keepalives are. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "link=shm needs Linux")
class PeerDeathTest {
    private static final List<String> LINKS = List.of("shm", "udp");
    private static final ConnectionConfig NO_KEEPALIVE =
            ConnectionConfig.DEFAULT.withTransport(TransportConfig.DEFAULT.withKeepalive(null));
    private static final Duration BOUND = Duration.ofSeconds(5);

    @ParameterizedTest
    @FieldSource("LINKS")
    void aKilledPeerFailsWhoWaitsForIt(String link) throws Exception {
        try (var peer = WaitingPeer.start(TestDevices.device(1, link));
                var node = RdmaNode.open(TestDevices.device(0, link))) {
            var connection = Met.get(node.connect(peer.address(), NO_KEEPALIVE, HandshakeConfig.DEFAULT));
            peer.awaitAccepted();
            var receive = connection.receive();
            assertEquals(ConnectionState.OPEN, connection.state());
            var start = System.nanoTime();
            peer.kill();
            assertThrows(ExecutionException.class, () -> receive.get(Met.DEADLINE_SECONDS, TimeUnit.SECONDS));
            var took = Duration.ofNanos(System.nanoTime() - start);
            assertTrue(took.compareTo(BOUND) < 0, "noticed after " + took);
            Waiting.until("it has failed", () -> connection.state() == ConnectionState.FAILED);
            connection.close();
            Waiting.until("nothing is left", () -> node.connections() == 0);
        }
    }

    @ParameterizedTest
    @FieldSource("LINKS")
    void aPeerThatClosesInOrderSaysSo(String link) throws Exception {
        try (var peer = WaitingPeer.start(TestDevices.device(1, link));
                var node = RdmaNode.open(TestDevices.device(0, link))) {
            var connection = Met.get(node.connect(peer.address(), NO_KEEPALIVE, HandshakeConfig.DEFAULT));
            peer.awaitAccepted();
            var receive = connection.receive();
            peer.askToClose();
            assertThrows(ExecutionException.class, () -> receive.get(Met.DEADLINE_SECONDS, TimeUnit.SECONDS));
            assertEquals("the peer has closed the connection", connection.failure().getMessage());
            connection.close();
        }
    }
}
