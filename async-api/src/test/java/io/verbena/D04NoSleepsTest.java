package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Ends tell each other when they are ready instead of waiting long enough, so both may send at once. */
class D04NoSleepsTest {
    private static final List<String> LINKS = Met.LINKS;
    private static final int ROUNDS = 20;

    @ParameterizedTest
    @FieldSource("LINKS")
    void eitherEndSendsTheMomentItIsConnected(String device) throws Exception {
        var impatient = ConnectionConfig.DEFAULT.withTransport(TransportConfig.DEFAULT.withRnrRetry(0));
        try (var met = new Met(device, impatient, HandshakeConfig.DEFAULT, Admission.EVERYBODY)) {
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

    @ParameterizedTest
    @FieldSource("LINKS")
    void connectingTakesNoFixedTime(String device) throws Exception {
        try (var met = new Met(device)) {
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
