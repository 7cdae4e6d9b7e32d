package io.verbena.async.handshake;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

/** What a proof depends on. */
class SharedSecretTest {
    private static final byte[] BYTES = "sixteen bytes at least".getBytes(StandardCharsets.US_ASCII);

    @Test
    void aProofIsTheHmacOfRoleAndTranscript() throws Exception {
        var transcript = new Transcript();
        transcript.add(FrameType.OPEN, new byte[] {1, 2});
        var said = ByteBuffer.allocate(7).put((byte) 1).putInt(2).put((byte) 1).put((byte) 2).array();
        var mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(BYTES, "HmacSHA256"));
        mac.update("verbena handshake 1 CLIENT\0".getBytes(StandardCharsets.US_ASCII));
        assertArrayEquals(
                mac.doFinal(MessageDigest.getInstance("SHA-256").digest(said)),
                SharedSecret.of(BYTES).proof(Role.CLIENT, transcript));
    }

    @Test
    void aProofOfAnotherRoleSecretOrTranscriptIsRefused() {
        var secret = SharedSecret.of(BYTES);
        var transcript = new Transcript();
        transcript.add(FrameType.OPEN, new byte[] {1});
        var proof = secret.proof(Role.CLIENT, transcript);
        assertTrue(secret.verify(Role.CLIENT, transcript, proof));
        assertFalse(secret.verify(Role.SERVER, transcript, proof));
        assertFalse(secret.verify(Role.CLIENT, transcript, new byte[0]));
        assertFalse(SharedSecret.of("another one, long enough".getBytes()).verify(Role.CLIENT, transcript, proof));
        proof[31] ^= 1;
        assertFalse(secret.verify(Role.CLIENT, transcript, proof));
        proof[31] ^= 1;
        transcript.add(FrameType.CHALLENGE, new byte[0]);
        assertFalse(secret.verify(Role.CLIENT, transcript, proof));
    }

    @Test
    void shortSecretsAreRefusedAndNoneIsShown() {
        var e = assertThrows(IllegalArgumentException.class, () -> SharedSecret.of(new byte[15]));
        assertTrue(e.getMessage().contains("15") && e.getMessage().contains("16"), e.getMessage());
        var options = HandshakeOptions.DEFAULT.withSecret(SharedSecret.of(BYTES));
        assertFalse(options.toString().contains("sixteen"), options.toString());
    }

    @Test
    void nobodyGetsTheSameChallengeTwice() {
        var one = Opening.ofThisVersion(true);
        assertFalse(Arrays.equals(one.nonce(), Opening.ofThisVersion(true).nonce()));
        assertArrayEquals(one.encode(), Opening.decode(one.encode()).encode());
    }

    @Test
    void openingsOfLaterVersionsCanBeRead() {
        var later = new byte[200];
        later[1] = 1;
        later[3] = 9;
        assertEquals(9, Opening.decode(later).maxVersion());
        var strange = new byte[] {0, 5, 0, 9, 0};
        assertEquals(5, Opening.decode(strange).minVersion(), "enough to say that the version is wrong");
        assertThrows(HandshakeException.class, () -> Opening.decode(new byte[] {0, 1, 0, 9, 0}));
        assertThrows(HandshakeException.class, () -> Opening.decode(new byte[] {0, 9, 0, 1, 0}));
        assertThrows(HandshakeException.class, () -> Opening.decode(new byte[4]));
    }
}
