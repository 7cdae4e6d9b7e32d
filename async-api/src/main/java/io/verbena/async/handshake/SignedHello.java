package io.verbena.async.handshake;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The contents of a HELLO or ANSWER frame: the length of the hello in 2 bytes, the hello, the proof.
 *
 * @param hello as {@link HelloCodec} writes it
 * @param proof 32 bytes, or none without a secret
 */
record SignedHello(byte[] hello, byte[] proof) {
    byte[] encode() {
        return ByteBuffer.allocate(2 + hello.length + proof.length)
                .putShort((short) hello.length)
                .put(hello)
                .put(proof)
                .array();
    }

    static SignedHello decode(byte[] bytes) {
        var length = bytes.length < 2 ? -1 : (bytes[0] & 0xFF) << 8 | bytes[1] & 0xFF;
        var rest = bytes.length - 2 - length;
        if (length < 0 || rest != 0 && rest != SharedSecret.PROOF_BYTES) {
            throw new HandshakeException(
                    FailureKind.PROTOCOL, "a hello whose length doesn't fit its frame of " + bytes.length + " bytes");
        }
        return new SignedHello(
                Arrays.copyOfRange(bytes, 2, 2 + length), Arrays.copyOfRange(bytes, 2 + length, bytes.length));
    }
}
