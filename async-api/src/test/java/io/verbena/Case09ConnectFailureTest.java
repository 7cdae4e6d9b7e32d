package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A connection that fails says so, with its kind, at both ends and in time; nothing is left of it. */
class Case09ConnectFailureTest {
    private static final HandshakeConfig PLAIN = HandshakeConfig.DEFAULT;
    private static final HandshakeConfig SECRET = PLAIN.withSecret("sixteen bytes of it".getBytes());

    @EveryLink
    void nobodyListens(String link) throws Exception {
        try (var met = new Met(link)) {
            met.server.close();
            assertEquals(RdmaConnectException.Kind.REFUSED, Met.failure(met.ask()).kind());
            met.nothingIsLeft();
        }
    }

    @EveryLink
    void somebodyListensAndSaysNothing(String link) throws Exception {
        try (var node = RdmaNode.open(TestDevices.device(0, link));
                var silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            var to = new InetSocketAddress(silent.getInetAddress(), silent.getLocalPort());
            var start = System.nanoTime();
            var asked = node.connect(to, ConnectionConfig.DEFAULT, PLAIN.withTimeout(Duration.ofMillis(250)));
            assertEquals(RdmaConnectException.Kind.TIMEOUT, Met.failure(asked).kind());
            var millis = (System.nanoTime() - start) / 1_000_000;
            assertTrue(millis >= 250 && millis < 10_000, millis + " ms");
            Waiting.until("nothing is left", () -> node.connections() == 0);
        }
    }

    @EveryLink
    void theSecretIsWrongOrMissing(String link) throws Exception {
        try (var met = new Met(link, ConnectionConfig.DEFAULT, SECRET, Admission.EVERYBODY)) {
            met.bothFail(RdmaConnectException.Kind.SECRET, met.ask());
            met.bothFail(RdmaConnectException.Kind.SECRET, met.ask(PLAIN.withSecret("sixteen bytes of IT".getBytes())));
            Met.talk(met.asking, Met.get(met.ask(SECRET)), met.accept(), "with the right one");
        }
    }

    @EveryLink
    void theServersProgramDoesNotWantIt(String link) throws Exception {
        Admission picky = request -> request.privateData().length == 1 ? null : "one byte of private data, please";
        try (var met = new Met(link, ConnectionConfig.DEFAULT, PLAIN, picky)) {
            var asked = met.ask();
            assertTrue(Met.failure(asked).getMessage().contains("one byte of private data, please"));
            met.bothFail(RdmaConnectException.Kind.REJECTED, asked);
            Met.talk(met.asking, Met.get(met.ask(PLAIN.withPrivateData(new byte[1]))), met.accept(), "welcome");
        }
    }

    @EveryLink
    void nobodyAcceptsWhatIsThereAlready(String link) throws Exception {
        try (var met = new Met(link, ConnectionConfig.DEFAULT, PLAIN.withBacklog(2), Admission.EVERYBODY)) {
            Met.get(met.ask());
            Met.get(met.ask());
            var e = Met.failure(met.ask());
            assertEquals(RdmaConnectException.Kind.FULL, e.kind());
            Waiting.until("the third is gone", () -> met.serving.connections() == 2 && met.asking.connections() == 2);
            met.accept();
            Met.get(met.ask());
            assertEquals(1, met.server.failures());
        }
    }

    @Test
    void theDevicesCannotReachEachOther() throws Exception {
        try (var shm = RdmaNode.open("soft2?link=shm"); var met = new Met("soft")) {
            var e = Met.failure(shm.connect(met.server.address()));
            assertEquals(RdmaConnectException.Kind.LINK, e.kind());
            assertTrue(e.getMessage().contains("loopback") && e.getMessage().contains("shm"), e.getMessage());
            Waiting.until("nothing is left", () -> shm.connections() + met.serving.connections() == 0);
        }
    }

    @Test
    void thePortIsTaken() throws Exception {
        try (var met = new Met("soft")) {
            var e = assertThrows(RdmaConnectException.class, () -> met.serving.listen(met.server.address()));
            assertEquals(RdmaConnectException.Kind.FAILED, e.kind());
        }
    }

    @Test
    void aNameThatNobodyKnowsCannotBeListenedAt() {
        try (var node = RdmaNode.open("soft")) {
            var e = assertThrows(RdmaConnectException.class,
                    () -> node.listen(InetSocketAddress.createUnresolved("no.such.host.invalid", 1)));
            assertEquals(RdmaConnectException.Kind.FAILED, e.kind());
            assertTrue(e.getMessage().contains("no.such.host.invalid, an unknown host name"), e.getMessage());
        }
    }
}
