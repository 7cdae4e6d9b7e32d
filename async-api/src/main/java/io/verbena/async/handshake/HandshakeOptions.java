package io.verbena.async.handshake;

import java.time.Duration;
import java.util.Objects;

/**
 * How an end shakes hands. Immutable.
 *
 * @param secret what both ends must know, or null
 * @param tls the files for mutual TLS, or null for plain TCP
 * @param timeout how long a handshake may take from the first to the last byte: 1 ms to an hour
 * @param maxPending how many handshakes a server has under way at most: 1 to 65536
 */
public record HandshakeOptions(SharedSecret secret, TlsFiles tls, Duration timeout, int maxPending) {
    private static final Duration LONGEST = Duration.ofHours(1);

    /** Ten seconds, 256 handshakes, neither secret nor TLS. */
    public static final HandshakeOptions DEFAULT = new HandshakeOptions(null, null, Duration.ofSeconds(10), 256);

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException for a value out of its range; says which one
     */
    public HandshakeOptions {
        checkTimeout(timeout);
        if (maxPending < 1 || maxPending > 1 << 16) {
            throw new IllegalArgumentException("maxPending is " + maxPending + "; allowed: 1 to 65536");
        }
    }

    static void checkTimeout(Duration timeout) {
        Objects.requireNonNull(timeout, "timeout");
        if (timeout.compareTo(Duration.ofMillis(1)) < 0 || timeout.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("timeout is " + timeout + "; allowed: 1 ms to 1 h");
        }
    }

    /**
     * The same with another secret.
     *
     * @param other what both ends must know, or null
     * @return a copy
     */
    public HandshakeOptions withSecret(SharedSecret other) {
        return new HandshakeOptions(other, tls, timeout, maxPending);
    }

    /**
     * The same with other TLS files.
     *
     * @param other the files, or null for plain TCP
     * @return a copy
     */
    public HandshakeOptions withTls(TlsFiles other) {
        return new HandshakeOptions(secret, other, timeout, maxPending);
    }

    /**
     * The same with another time limit.
     *
     * @param other 1 ms to an hour
     * @return a copy
     */
    public HandshakeOptions withTimeout(Duration other) {
        return new HandshakeOptions(secret, tls, other, maxPending);
    }

    /**
     * The same with another limit of a server's handshakes under way.
     *
     * @param other 1 to 65536
     * @return a copy
     */
    public HandshakeOptions withMaxPending(int other) {
        return new HandshakeOptions(secret, tls, timeout, other);
    }
}
