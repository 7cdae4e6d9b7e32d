package io.verbena.async.handshake;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * What both ends know and never say. Either end proves it by an HMAC-SHA256 over everything said so far, which includes
 * a random number of the other one, and over its role, so that nobody can hand an end its own proof back.
 */
public final class SharedSecret {
    /** The shortest secret in bytes. Who listens can try secrets at leisure, so it has to be a random one. */
    public static final int MIN_BYTES = 16;

    static final int PROOF_BYTES = 32;

    private static final String HMAC = "HmacSHA256";

    private final SecretKeySpec key;

    private SharedSecret(byte[] bytes) {
        key = new SecretKeySpec(bytes, HMAC);
    }

    /**
     * Takes a secret.
     *
     * @param bytes at least 16, random; copied
     * @return the secret
     * @throws IllegalArgumentException if it is too short
     */
    public static SharedSecret of(byte[] bytes) {
        if (bytes.length < MIN_BYTES) {
            throw new IllegalArgumentException("the shared secret has " + bytes.length + " bytes; allowed: " + MIN_BYTES
                    + " or more, random, for example of openssl rand 32");
        }
        return new SharedSecret(bytes);
    }

    byte[] proof(Role role, Transcript transcript) {
        try {
            var mac = Mac.getInstance(HMAC);
            mac.init(key);
            mac.update(role.label());
            return mac.doFinal(transcript.digest());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + HMAC, e);
        }
    }

    /** Takes the same time whichever byte differs. */
    boolean verify(Role role, Transcript transcript, byte[] proof) {
        return MessageDigest.isEqual(proof(role, transcript), proof);
    }

    /** Doesn't show it. */
    @Override
    public String toString() {
        return "SharedSecret";
    }
}
