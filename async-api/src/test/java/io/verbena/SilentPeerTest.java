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

/**
 * Peers that are dead or silent are found within the configured bound, though nothing is sent to them; those that are
 * quiet only are left alone.
 */
@EnabledOnOs(value = OS.LINUX, disabledReason = "processes are stopped as on Linux, and link=shm needs it")
class SilentPeerTest {
    /** Of how long a stopped process may keep others waiting over shared memory the device has a word to say, too. */
    private static final List<String> LINKS = List.of("soft?link=shm&peer_timeout_ms=1000", "udp");
    private static final Duration PEER_TIMEOUT = Duration.ofSeconds(1);
    private static final Duration KEEPALIVE = Duration.ofMillis(200);
    private static final int RETRIES = 7;
    private static final ConnectionConfig CONFIG = ConnectionConfig.DEFAULT.withTransport(TransportConfig.DEFAULT
            .withKeepalive(KEEPALIVE).withAckTimeout(Duration.ofMillis(10)).withRetryCount(RETRIES));
    /** For a machine that is busy with other things. */
    private static final Duration SLACK = Duration.ofSeconds(3);

    /** A probe goes out between one and two intervals after the last traffic; an answer is waited for by each try. */
    private static Duration bound(RdmaConnection connection, String link) {
        Duration probed = KEEPALIVE.multipliedBy(2)
                .plus(connection.effectiveAckTimeout().multipliedBy(4 * (RETRIES + 1)));
        return (link.contains("shm") ? probed.plus(PEER_TIMEOUT) : probed).plus(SLACK);
    }

    private static void isFound(RdmaConnection connection, String link, Runnable end) {
        var bound = bound(connection, link);
        var receive = connection.receive();
        assertEquals(ConnectionState.OPEN, connection.state());
        end.run();
        var start = System.nanoTime();
        assertThrows(ExecutionException.class, () -> receive.get(Met.DEADLINE_SECONDS, TimeUnit.SECONDS));
        var took = Duration.ofNanos(System.nanoTime() - start);
        assertTrue(took.compareTo(bound) < 0, "found after " + took + ", bound: " + bound);
        Waiting.until("it has failed", () -> connection.state() == ConnectionState.FAILED);
        connection.closeNow();
    }

    @ParameterizedTest
    @FieldSource("LINKS")
    void aStoppedPeerIsFound(String link) throws Exception {
        try (var peer = WaitingPeer.start(TestDevices.device(1, link));
                var node = RdmaNode.open(TestDevices.device(0, link))) {
            var connection = Met.get(node.connect(peer.address(), CONFIG, HandshakeConfig.DEFAULT));
            peer.awaitAccepted();
            isFound(connection, link, () -> {
                try {
                    peer.stop();
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            });
            Waiting.until("nothing is left", () -> node.connections() == 0);
        }
    }

    /** Without the TCP connection of the handshake, whose end would tell at once. */
    @ParameterizedTest
    @FieldSource("LINKS")
    void aKilledPeerThatWasMetOutOfBandIsFound(String link) throws Exception {
        try (var peer = WaitingPeer.startOutOfBand(TestDevices.device(1, link));
                var node = RdmaNode.open(TestDevices.device(0, link))) {
            var prepared = node.prepare(CONFIG);
            peer.tellEndpoint(prepared.endpoint());
            peer.awaitAccepted();
            isFound(prepared.connect(peer.endpoint()), link, peer::kill);
        }
    }

    @EveryLink
    void anIdleConnectionStaysOpen(String link) throws Exception {
        var often = ConnectionConfig.DEFAULT.withTransport(
                TransportConfig.DEFAULT.withKeepalive(Duration.ofMillis(20)));
        try (Ends ends = Ends.open(link, often, PollerMode.EVENT)) {
            var waiting = ends.right.receive();
            var start = System.nanoTime();
            Waiting.until("time passes", () -> System.nanoTime() - start > 1_000_000_000);
            assertEquals(ConnectionState.OPEN, ends.left.state());
            assertEquals(ConnectionState.OPEN, ends.right.state());
            Ends.get(ends.left.send(Ends.text(ends.here, "still here")));
            assertEquals("still here", Ends.text(Ends.get(waiting)));
        }
    }
}
