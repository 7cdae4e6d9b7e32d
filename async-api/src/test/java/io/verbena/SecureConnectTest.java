package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.async.handshake.Certificates;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Connecting over mutual TLS, with a secret besides. */
class SecureConnectTest {
    @TempDir
    static Path folder;

    @BeforeAll
    static void makeCertificates() throws Exception {
        Certificates.make(folder, "server", "ip:127.0.0.1");
        Certificates.make(folder, "client", "dns:client");
    }

    private static TlsConfig tls(String own, String trusted) {
        return TlsConfig.of(
                folder.resolve(own + ".pem"), folder.resolve(own + ".key"), folder.resolve(trusted + ".pem"));
    }

    @Test
    void nodesConnectOverTlsWithASecret() throws Exception {
        var secret = new byte[32];
        var server = HandshakeConfig.DEFAULT.withTls(tls("server", "client")).withSecret(secret);
        try (var met = new Met("soft", ConnectionConfig.DEFAULT, server, Admission.EVERYBODY)) {
            var client = HandshakeConfig.DEFAULT.withTls(tls("client", "server"));
            Met.talk(met.asking, Met.get(met.ask(client.withSecret(secret))), met.accept(), "in private");
            assertEquals(RdmaConnectException.Kind.SECRET, Met.failure(met.ask(client)).kind());
            assertEquals(RdmaConnectException.Kind.TLS, Met.failure(met.ask()).kind());
            var stranger = HandshakeConfig.DEFAULT.withTls(tls("client", "client"));
            assertEquals(RdmaConnectException.Kind.TLS, Met.failure(met.ask(stranger)).kind());
            Waiting.until("three failures", () -> met.server.failures() == 3 && met.asking.connections() == 1);
        }
    }

    @Test
    void filesThatAreMissingAreNamedBeforeAnythingIsStarted() {
        try (var node = RdmaNode.open("soft")) {
            var config = HandshakeConfig.DEFAULT.withTls(tls("nobody", "client"));
            var e = assertThrows(
                    IllegalArgumentException.class,
                    () -> node.connect(Met.anyPort(), ConnectionConfig.DEFAULT, config));
            assertTrue(e.getMessage().contains("nobody.pem"), e.getMessage());
            assertEquals(0, node.connections());
            assertThrows(
                    IllegalArgumentException.class,
                    () -> node.listen(Met.anyPort(), ConnectionConfig.DEFAULT, config, Admission.EVERYBODY));
        }
    }
}
