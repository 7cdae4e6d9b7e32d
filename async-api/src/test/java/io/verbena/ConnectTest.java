package io.verbena;

import static io.verbena.Met.get;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Mtu;
import io.verbena.verbs.Threading;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Connecting by address, and what a server does. */
class ConnectTest {
    private static final int CLIENTS = 50;

    @EveryLink
    void twoEndsConnectAndTalkBothWays(String link) throws Exception {
        try (var met = new Met(link)) {
            var client = get(met.ask());
            var server = met.accept();
            Met.talk(met.asking, client, server, "there");
            Met.talk(met.serving, server, client, "and back");
            assertEquals(server.qpNum(), client.peer().qpNum());
            client.close();
            server.close();
            met.nothingIsLeft();
        }
    }

    @Test
    void manyClientsConnectAtOnce() throws Exception {
        try (var met = new Met("soft")) {
            var asked = new ArrayList<CompletableFuture<RdmaConnection>>();
            for (var i = 0; i < CLIENTS; i++) {
                asked.add(met.ask());
            }
            var accepted = new HashMap<Integer, RdmaConnection>();
            for (var i = 0; i < CLIENTS; i++) {
                var server = met.accept();
                accepted.put(server.peer().qpNum(), server);
            }
            for (var each : asked) {
                Met.talk(met.asking, get(each), accepted.get(get(each).qpNum()), "hello");
            }
        }
    }

    @Test
    void bothEndsUseTheSmallerOfTheirLimits() throws Exception {
        var small = ConnectionConfig.DEFAULT.withTransport(TransportConfig.DEFAULT.withRdAtomic(3)
                .withPath(PathConfig.DEFAULT.withMtu(Mtu.MTU_1024)));
        try (var met = new Met("soft", small, HandshakeConfig.DEFAULT, Admission.EVERYBODY)) {
            var client = get(met.ask());
            var attributes = client.core.queuePair.query();
            assertEquals(Mtu.MTU_1024, attributes.pathMtu());
            assertEquals(3, attributes.maxRdAtomic());
            assertEquals(3, attributes.maxDestRdAtomic());
            Met.talk(met.asking, client, met.accept(), "smaller");
        }
    }

    @Test
    void eachEndIsToldThePrivateDataOfTheOther() throws Exception {
        var atServer = HandshakeConfig.DEFAULT.withPrivateData(new byte[] {1, 2});
        try (var met = new Met("soft", ConnectionConfig.DEFAULT, atServer, Admission.EVERYBODY)) {
            var client = get(met.ask(HandshakeConfig.DEFAULT.withPrivateData(new byte[] {3})));
            assertArrayEquals(new byte[] {1, 2}, client.peerPrivateData());
            assertEquals(met.server.address(), client.peerAddress().orElseThrow());
            var server = met.accept();
            assertArrayEquals(new byte[] {3}, server.peerPrivateData());
            assertTrue(server.peerAddress().isPresent());
        }
    }

    @Test
    void aCancelledConnectLeavesNothingAndACancelledAcceptLosesNothing() throws Exception {
        try (var met = new Met("soft")) {
            met.server.accept().cancel(true);
            for (var i = 0; i < 20; i++) {
                met.ask().cancel(true);
            }
            Waiting.until("the client has ended all attempts", () -> met.asking.connections() == 0);
            var client = get(met.ask());
            var server = met.accept();
            while (server.peer().qpNum() != client.qpNum()) {
                server.close();
                server = met.accept();
            }
            Met.talk(met.asking, client, server, "the one that counts");
        }
    }

    @Test
    void aClosedServerFailsWhoWaitsAndClosesWhatNobodyAccepted() throws Exception {
        try (var met = new Met("soft")) {
            var client = get(met.ask());
            Waiting.until("the server has it", () -> met.serving.connections() == 1);
            met.server.close();
            met.server.close();
            assertEquals(RdmaConnectException.Kind.CLOSED, Met.failure(met.server.accept()).kind());
            Waiting.until("the client notices", () -> client.state() != ConnectionState.OPEN);
            client.close();
            met.nothingIsLeft();
            assertEquals(RdmaConnectException.Kind.REFUSED, Met.failure(met.ask()).kind());
        }
    }

    @Test
    void connectionsGoOnWhenTheServerIsClosed() throws Exception {
        try (var met = new Met("soft")) {
            var client = get(met.ask());
            var server = met.accept();
            met.server.close();
            Met.talk(met.asking, client, server, "still here");
        }
    }

    @Test
    void aPeerWhoseNodeIsClosedIsNoticedWithoutTraffic() throws Exception {
        try (var met = new Met("soft")) {
            var client = get(met.ask());
            met.accept();
            met.serving.close();
            Waiting.until("the client notices", () -> client.state() != ConnectionState.OPEN);
            assertTrue(client.failure().getMessage().contains("peer"), client.failure().getMessage());
            var receive = client.receive();
            assertThrows(ExecutionException.class, () -> receive.get(Met.DEADLINE_SECONDS, TimeUnit.SECONDS));
        }
    }

    @Test
    void closingBehindAPeerThatIsGoneWaitsForNoAnswer() throws Exception {
        var patient = ConnectionConfig.DEFAULT.withTransport(
                TransportConfig.DEFAULT.withAckTimeout(Duration.ofSeconds(4)));
        try (var met = new Met("soft", patient, HandshakeConfig.DEFAULT, Admission.EVERYBODY)) {
            var client = get(met.ask());
            var server = met.accept();
            client.closeNow();
            var start = System.nanoTime();
            server.close(Duration.ofSeconds(25));
            var took = Duration.ofNanos(System.nanoTime() - start);
            assertTrue(took.compareTo(Duration.ofSeconds(10)) < 0, "waited " + took);
        }
    }

    @Test
    void aNodeOfOneThreadSaysWhyItCannotConnect() {
        var config = NodeConfig.of("soft").withPoller(PollerMode.MANUAL).withThreading(Threading.SINGLE);
        try (var node = RdmaNode.open(config)) {
            var e = assertThrows(IllegalStateException.class, () -> node.connect(Met.anyPort()));
            assertTrue(e.getMessage().contains("SINGLE") && e.getMessage().contains("prepare"), e.getMessage());
            assertThrows(IllegalStateException.class, () -> node.listen(Met.anyPort()));
            assertEquals(0, node.connections());
        }
    }

    @Test
    void nothingOfAClosedNodeRunsOn() throws Exception {
        var met = new Met("soft");
        get(met.ask());
        met.close();
        Waiting.until("threads end", () -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith("verbena-handshake")));
        assertThrows(IllegalStateException.class, met::ask);
        met.server.close();
        assertEquals(RdmaConnectException.Kind.CLOSED, Met.failure(met.server.accept()).kind());
    }
}
