package io.verbena.async.handshake;

import java.nio.charset.StandardCharsets;

/** Which end proves that it knows the secret. */
enum Role {
    CLIENT,
    SERVER;

    private final byte[] label = ("verbena handshake 1 " + name() + "\0").getBytes(StandardCharsets.US_ASCII);

    byte[] label() {
        return label.clone();
    }
}
