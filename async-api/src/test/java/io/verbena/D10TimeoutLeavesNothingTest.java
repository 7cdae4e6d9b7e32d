package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** A handshake that timed out leaves nothing at either end, and what comes late harms nobody. */
class D10TimeoutLeavesNothingTest {
    @EveryLink
    void bothEndsForgetAnAttemptThatTookTooLong(String link) throws Exception {
        var go = new CountDownLatch(1);
        Admission slow = request -> {
            try {
                go.await();
            } catch (InterruptedException e) {
                return "interrupted";
            }
            return null;
        };
        try (var met = new Met(link, ConnectionConfig.DEFAULT, HandshakeConfig.DEFAULT, slow)) {
            var hurried = HandshakeConfig.DEFAULT.withTimeout(Duration.ofMillis(200));
            for (var i = 0; i < 3; i++) {
                met.bothFail(RdmaConnectException.Kind.TIMEOUT, met.ask(hurried));
            }
            go.countDown();
            Waiting.until("late answers are taken apart", () -> met.server.failures() >= 6);
            met.nothingIsLeft();
            Met.talk(met.asking, Met.get(met.ask()), met.accept(), "in time");
            assertEquals(1, met.asking.connections());
            assertEquals(1, met.serving.connections());
        }
    }
}
