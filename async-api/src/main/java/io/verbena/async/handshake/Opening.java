package io.verbena.async.handshake;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Arrays;

/**
 * The first words of either end: which versions it speaks, whether it wants proof of the secret, and a number that the
 * other one has never seen. Versions after this one keep its first 5 bytes.
 *
 * @param minVersion the oldest version it speaks: 1 to 65535
 * @param maxVersion the newest, not below it
 * @param secret true if it has a shared secret and wants the other end to prove that it knows it
 * @param nonce 32 random bytes
 */
record Opening(int minVersion, int maxVersion, boolean secret, byte[] nonce) {
    static final int NONCE_BYTES = 32;

    private static final int BYTES = 5 + NONCE_BYTES;
    private static final SecureRandom RANDOM = new SecureRandom();

    static Opening ofThisVersion(boolean secret) {
        var nonce = new byte[NONCE_BYTES];
        RANDOM.nextBytes(nonce);
        return new Opening(Negotiation.MIN_VERSION, Negotiation.MAX_VERSION, secret, nonce);
    }

    byte[] encode() {
        return ByteBuffer.allocate(BYTES)
                .putShort((short) minVersion)
                .putShort((short) maxVersion)
                .put((byte) (secret ? 1 : 0))
                .put(nonce)
                .array();
    }

    /** An end of a later version may say more, which only those who speak it read. */
    static Opening decode(byte[] bytes) {
        if (bytes.length < 5) {
            throw new HandshakeException(
                    FailureKind.PROTOCOL, "an opening of " + bytes.length + " bytes; it has at least 5");
        }
        var buffer = ByteBuffer.wrap(bytes);
        var min = Short.toUnsignedInt(buffer.getShort());
        var max = Short.toUnsignedInt(buffer.getShort());
        if (min == 0 || min > max) {
            throw new HandshakeException(
                    FailureKind.PROTOCOL, "an opening with versions " + min + " to " + max + ", which is no range");
        }
        var secret = (buffer.get() & 1) != 0;
        var nonce = Arrays.copyOfRange(bytes, 5, BYTES);
        if (bytes.length < BYTES && min <= Negotiation.MAX_VERSION) {
            throw new HandshakeException(
                    FailureKind.PROTOCOL, "an opening of " + bytes.length + " bytes; version 1 has " + BYTES);
        }
        return new Opening(min, max, secret, nonce);
    }
}
