package io.verbena;

import io.verbena.async.handshake.HandshakeOptions;
import io.verbena.async.handshake.Hello;
import io.verbena.async.handshake.SharedSecret;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;

/**
 * How two ends that know each other's TCP address are connected. Immutable; begin with {@link #DEFAULT}.
 *
 * @param timeout how long it may take from the first byte until both ends are ready: 1 ms to an hour
 * @param secret what both ends must know, at least 16 random bytes; null if they needn't. Each end proves that it knows
 *     it (HMAC-SHA256, challenge and response); it never travels
 * @param tls the files for mutual TLS; null for plain TCP
 * @param privateData what the other end's program is told, up to 512 bytes
 * @param maxPending how many handshakes a server has under way at most: 1 to 65536
 * @param backlog how many connections a server keeps that nobody has accepted yet: 1 to 65536. Further ones are refused
 */
public record HandshakeConfig(
        Duration timeout, byte[] secret, TlsConfig tls, byte[] privateData, int maxPending, int backlog) {
    /** Ten seconds; no secret, no TLS, no private data; 256 handshakes at a time, 64 connections to be accepted. */
    public static final HandshakeConfig DEFAULT =
            new HandshakeConfig(Duration.ofSeconds(10), null, null, new byte[0], 256, 64);

    /**
     * Checks the values, and copies arrays.
     *
     * @throws IllegalArgumentException for a value out of its range; says which one
     */
    public HandshakeConfig {
        Objects.requireNonNull(timeout, "timeout");
        Objects.requireNonNull(privateData, "privateData");
        if (privateData.length > Hello.MAX_PRIVATE_DATA) {
            throw new IllegalArgumentException(
                    "privateData has " + privateData.length + " bytes; allowed: 0 to " + Hello.MAX_PRIVATE_DATA);
        }
        if (backlog < 1 || backlog > 1 << 16) {
            throw new IllegalArgumentException("backlog is " + backlog + "; allowed: 1 to 65536");
        }
        secret = secret == null ? null : secret.clone();
        privateData = privateData.clone();
        options(timeout, secret, tls, maxPending);
    }

    private static HandshakeOptions options(Duration timeout, byte[] secret, TlsConfig tls, int maxPending) {
        return new HandshakeOptions(
                secret == null ? null : SharedSecret.of(secret), tls == null ? null : tls.files(), timeout, maxPending);
    }

    HandshakeOptions options() {
        return options(timeout, secret, tls, maxPending);
    }

    /** A copy. */
    @Override
    public byte[] secret() {
        return secret == null ? null : secret.clone();
    }

    /** A copy. */
    @Override
    public byte[] privateData() {
        return privateData.clone();
    }

    /**
     * The same with another value of timeout.
     *
     * @param newTimeout 1 ms to an hour
     * @return a changed copy
     */
    public HandshakeConfig withTimeout(Duration newTimeout) {
        return new HandshakeConfig(newTimeout, secret, tls, privateData, maxPending, backlog);
    }

    /**
     * The same with another value of secret.
     *
     * @param newSecret at least 16 random bytes, copied; null for none
     * @return a changed copy
     */
    public HandshakeConfig withSecret(byte[] newSecret) {
        return new HandshakeConfig(timeout, newSecret, tls, privateData, maxPending, backlog);
    }

    /**
     * The same with another value of tls.
     *
     * @param newTls the files; null for plain TCP
     * @return a changed copy
     */
    public HandshakeConfig withTls(TlsConfig newTls) {
        return new HandshakeConfig(timeout, secret, newTls, privateData, maxPending, backlog);
    }

    /**
     * The same with another value of privateData.
     *
     * @param newPrivateData up to 512 bytes, copied
     * @return a changed copy
     */
    public HandshakeConfig withPrivateData(byte[] newPrivateData) {
        return new HandshakeConfig(timeout, secret, tls, newPrivateData, maxPending, backlog);
    }

    /**
     * The same with another value of maxPending.
     *
     * @param newMaxPending 1 to 65536
     * @return a changed copy
     */
    public HandshakeConfig withMaxPending(int newMaxPending) {
        return new HandshakeConfig(timeout, secret, tls, privateData, newMaxPending, backlog);
    }

    /**
     * The same with another value of backlog.
     *
     * @param newBacklog 1 to 65536
     * @return a changed copy
     */
    public HandshakeConfig withBacklog(int newBacklog) {
        return new HandshakeConfig(timeout, secret, tls, privateData, maxPending, newBacklog);
    }

    /** Compares contents of arrays too. */
    @Override
    public boolean equals(Object other) {
        return other instanceof HandshakeConfig c
                && timeout.equals(c.timeout)
                && Arrays.equals(secret, c.secret)
                && Objects.equals(tls, c.tls)
                && Arrays.equals(privateData, c.privateData)
                && maxPending == c.maxPending
                && backlog == c.backlog;
    }

    @Override
    public int hashCode() {
        return Objects.hash(timeout, tls, maxPending, backlog, Arrays.hashCode(privateData));
    }

    /** Shows neither the secret nor the private data. */
    @Override
    public String toString() {
        return "HandshakeConfig[timeout=" + timeout + ", secret=" + (secret == null ? "none" : "set") + ", tls=" + tls
                + ", privateData=" + privateData.length + " bytes, maxPending=" + maxPending + ", backlog=" + backlog
                + "]";
    }
}
