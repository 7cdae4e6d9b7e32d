package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;

/** Ends tell each other when they are ready instead of waiting long enough, so both may send at once. */
class D04NoSleepsTest {
    private static final int ROUNDS = 20;

    @EveryLink
    void eitherEndSendsTheMomentItIsConnected(String link) throws Exception {
        var impatient = ConnectionConfig.DEFAULT.withTransport(TransportConfig.DEFAULT.withRnrRetry(0));
        try (var met = new Met(link, impatient, HandshakeConfig.DEFAULT, Admission.EVERYBODY)) {
            for (var i = 0; i < ROUNDS; i++) {
                var accepted = met.server.accept().thenCompose(
                        server -> server.send(met.serving.memory().allocate(8)).thenApply(sent -> server));
                var asked = met.asking.connect(met.server.address(), impatient, HandshakeConfig.DEFAULT)
                        .thenCompose(client -> client.send(met.asking.memory().allocate(9)).thenApply(sent -> client));
                var client = Met.get(asked);
                var server = Met.get(accepted);
                try (var message = Met.get(client.receive())) {
                    assertEquals(8, message.length());
                }
                try (var message = Met.get(server.receive())) {
                    assertEquals(9, message.length());
                }
                client.closeNow();
                server.closeNow();
            }
        }
    }

    @EveryLink
    void connectingTakesNoFixedTime(String link) throws Exception {
        try (var met = new Met(link)) {
            Met.get(met.ask()).closeNow();
            var start = System.nanoTime();
            for (var i = 0; i < ROUNDS; i++) {
                Met.get(met.ask()).closeNow();
            }
            var millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
            assertTrue(millis < ROUNDS * 500, ROUNDS + " connections took " + millis + " ms");
        }
    }
}
