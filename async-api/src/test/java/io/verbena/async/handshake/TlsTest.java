package io.verbena.async.handshake;

import static io.verbena.async.handshake.Bench.failure;
import static io.verbena.async.handshake.TestAcceptor.next;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Handshakes over TLS in which both ends show a certificate. */
class TlsTest {
    private static final HandshakeOptions PLAIN = HandshakeOptions.DEFAULT;

    @TempDir
    static Path folder;

    private static HandshakeOptions server;
    private static HandshakeOptions client;

    @BeforeAll
    static void makeCertificates() throws Exception {
        Certificates.make(folder, "server", "ip:127.0.0.1");
        Certificates.make(folder, "client", "dns:client");
        Certificates.make(folder, "stranger", "ip:127.0.0.1");
        Certificates.make(folder, "elsewhere", "dns:elsewhere.example");
        Certificates.make(folder, "expired", "ip:127.0.0.1", "-startdate", "-10d", "-validity", "1");
        server = PLAIN.withTls(Certificates.files(folder, "server", "client", true));
        client = PLAIN.withTls(Certificates.files(folder, "client", "server", true));
    }

    @Test
    void endsThatTrustEachOtherComeTogetherAndPartInOrder() throws Exception {
        try (var bench = new Bench(server.withSecret(SharedSecret.of(new byte[20])))) {
            var link = bench.join(client.withSecret(SharedSecret.of(new byte[20])));
            var ends = new LinkedBlockingQueue<ControlLink.End>();
            next(bench.acceptor.links).onEnd(ends::add);
            link.disconnect();
            assertEquals(ControlLink.End.DISCONNECTED, next(ends));
        }
    }

    @Test
    void refusalsAreHeardThroughTls() throws Exception {
        try (var bench = new Bench(server)) {
            bench.acceptor.answer = theirs -> {
                throw new HandshakeException(FailureKind.REJECTED, "no");
            };
            assertEquals(FailureKind.REJECTED, failure(bench.connect(client)).kind());
        }
    }

    @Test
    void aServerThatIsNotTrustedIsATlsErrorAtBothEnds() throws Exception {
        refused(PLAIN.withTls(Certificates.files(folder, "stranger", "client", true)), client);
    }

    @Test
    void aClientThatIsNotTrustedIsATlsErrorAtBothEnds() throws Exception {
        refused(server, PLAIN.withTls(Certificates.files(folder, "stranger", "server", true)));
    }

    @Test
    void aServerThatIsMadeOutToAnotherNameIsRefusedUnlessNamesDoNotMatter() throws Exception {
        var elsewhere = PLAIN.withTls(Certificates.files(folder, "elsewhere", "client", true));
        refused(elsewhere, PLAIN.withTls(Certificates.files(folder, "client", "elsewhere", true)));
        try (var bench = new Bench(elsewhere)) {
            bench.join(PLAIN.withTls(Certificates.files(folder, "client", "elsewhere", false)));
        }
    }

    @Test
    void anExpiredCertificateIsATlsError() throws Exception {
        refused(
                PLAIN.withTls(Certificates.files(folder, "expired", "client", true)),
                PLAIN.withTls(Certificates.files(folder, "client", "expired", true)));
    }

    @Test
    void tlsAtOneEndOnlyIsATlsErrorAtBoth() throws Exception {
        refused(server, PLAIN);
        refused(PLAIN, client);
    }

    @Test
    void aClientThatNeverFinishesTlsEndsWithTheTimeLimit() throws Exception {
        try (var bench = new Bench(server.withTimeout(Duration.ofMillis(300)));
                var peer = RawPeer.connect(bench.server.address())) {
            peer.awaitEnd();
            var e = next(bench.acceptor.refusals);
            assertEquals(FailureKind.TIMEOUT, e.kind());
            assertTrue(e.getMessage().contains("TLS"), e.getMessage());
        }
    }

    @Test
    void filesThatCannotBeUsedAreNamed() throws Exception {
        var missing = Certificates.files(folder, "nobody", "client", true);
        var e = assertThrows(IllegalArgumentException.class, missing::forServer);
        assertTrue(e.getMessage().contains("nobody.pem"), e.getMessage());
        var broken = Files.writeString(folder.resolve("broken.key"), "no key");
        var files = new TlsFiles(folder.resolve("server.pem"), broken, folder.resolve("client.pem"), true);
        e = assertThrows(IllegalArgumentException.class, files::forServer);
        assertTrue(e.getMessage().contains("broken.key") && e.getMessage().contains("PKCS#8"), e.getMessage());
        e = assertThrows(IllegalArgumentException.class, files::forClient);
        assertTrue(e.getMessage().contains("broken.key"), e.getMessage());
    }

    private static void refused(HandshakeOptions serverOptions, HandshakeOptions clientOptions) throws Exception {
        try (var bench = new Bench(serverOptions)) {
            assertEquals(FailureKind.TLS, failure(bench.connect(clientOptions)).kind());
            assertEquals(FailureKind.TLS, next(bench.acceptor.refusals).kind());
            assertTrue(bench.acceptor.offers.isEmpty());
        }
    }

    @Test
    void aServerWhoseFilesCantBeUsedLeavesNoSocket() {
        var open = Path.of("/proc/self/fd").toFile();
        Assumptions.assumeTrue(open.isDirectory());
        var wrong = PLAIN.withTls(new TlsFiles(folder, folder, folder, true));
        try (var loop = new HandshakeLoop("test-server")) {
            var before = open.list().length;
            for (var i = 0; i < 100; i++) {
                assertThrows(IllegalArgumentException.class, () -> HandshakeServer.bind(
                        loop, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), wrong, new TestAcceptor()));
            }
            assertTrue(open.list().length < before + 50, "of 100 sockets");
        }
    }
}
