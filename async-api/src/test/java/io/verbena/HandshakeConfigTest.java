package io.verbena;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.async.handshake.FailureKind;
import io.verbena.async.handshake.HandshakeException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How connecting is configured, and which failures it has. */
class HandshakeConfigTest {
    private static final HandshakeConfig DEFAULT = HandshakeConfig.DEFAULT;

    @Test
    void valuesOutOfRangeAreRefusedAndNamed() {
        refused("timeout", () -> DEFAULT.withTimeout(Duration.ZERO));
        refused("timeout", () -> DEFAULT.withTimeout(Duration.ofDays(1)));
        refused("secret", () -> DEFAULT.withSecret(new byte[15]));
        refused("privateData", () -> DEFAULT.withPrivateData(new byte[513]));
        refused("maxPending", () -> DEFAULT.withMaxPending(0));
        refused("backlog", () -> DEFAULT.withBacklog(0));
    }

    private static void refused(String name, Runnable change) {
        var e = assertThrows(IllegalArgumentException.class, change::run);
        assertTrue(e.getMessage().contains(name) && e.getMessage().contains("allowed"), e.getMessage());
    }

    @Test
    void arraysAreCopiedAndSecretsNotShown() {
        var secret = "a secret that is long enough".getBytes();
        var config = DEFAULT.withSecret(secret);
        secret[0] = 0;
        assertEquals('a', config.secret()[0]);
        config.secret()[0] = 0;
        assertEquals('a', config.secret()[0]);
        assertFalse(config.toString().contains("a secret"), config.toString());
        assertNotEquals(DEFAULT, config);
        assertEquals(config, DEFAULT.withSecret("a secret that is long enough".getBytes()));
        assertArrayEquals(new byte[] {1}, DEFAULT.withPrivateData(new byte[] {1}).privateData());
    }

    @Test
    void everyFailureOfTheHandshakeHasAKind() {
        for (var kind : FailureKind.values()) {
            var e = new RdmaConnectException(new HandshakeException(kind, "why"));
            assertEquals(kind.name(), e.kind().name());
            assertEquals("why", e.getMessage());
        }
        assertEquals(FailureKind.values().length, RdmaConnectException.Kind.values().length);
    }
}
