package io.verbena.async.handshake;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Everything that both ends have said so far, proofs left out, as a hash. */
final class Transcript {
    private final MessageDigest hash;

    Transcript() {
        try {
            hash = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    void add(FrameType type, byte[] contents) {
        hash.update(ByteBuffer.allocate(5).put((byte) type.code()).putInt(contents.length).flip());
        hash.update(contents);
    }

    byte[] digest() {
        try {
            return ((MessageDigest) hash.clone()).digest();
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException("SHA-256 of the JDK can be copied", e);
        }
    }
}
