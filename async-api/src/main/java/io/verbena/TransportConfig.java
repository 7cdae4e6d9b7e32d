package io.verbena;

import java.time.Duration;

/**
 * How a connection is kept reliable, and how soon a dead peer is found. Durations are rounded up to what the
 * transport knows; {@link RdmaConnection#effectiveAckTimeout()} and {@link RdmaConnection#effectiveMinRnrTimer()}
 * tell the outcome. Immutable.
 *
 * @param rdAtomic READs and atomics under way in each direction, 1 to 128, at most what the device does
 * @param retryCount how often an unanswered request is tried again, 0 to 7
 * @param rnrRetry how often a request without a receive is tried again, 0 to 7; 7 is without end
 * @param ackTimeout how long to wait for an answer, more than 0; the first of several tries
 * @param minRnrTimer how long a peer without receives is left alone, more than 0
 * @param keepalive after how long without traffic the peer is asked whether it lives; null for never
 * @param path the way of the packets
 */
public record TransportConfig(
        int rdAtomic, int retryCount, int rnrRetry, Duration ackTimeout, Duration minRnrTimer, Duration
        keepalive, PathConfig path) {
    /** Usual values. */
    public static final TransportConfig DEFAULT = new TransportConfig(
            16, 7, 7, Duration.ofMillis(67), Duration.ofNanos(640_000), Duration.ofSeconds(10), PathConfig.DEFAULT);

    /** Checks the values. */
    public TransportConfig {
        Checks.range("rdAtomic", rdAtomic, 1, 128);
        Checks.range("retryCount", retryCount, 0, 7);
        Checks.range("rnrRetry", rnrRetry, 0, 7);
        Checks.duration("ackTimeout", Checks.present("ackTimeout", ackTimeout));
        Checks.duration("minRnrTimer", Checks.present("minRnrTimer", minRnrTimer));
        Checks.duration("keepalive", keepalive);
        Checks.present("path", path);
    }

    /**
     * The same with another value of rdAtomic.
     *
     * @param newRdAtomic READs and atomics under way in each direction, 1 to 128, at most what the device does
     * @return a changed copy
     */
    public TransportConfig withRdAtomic(int newRdAtomic) {
        return new TransportConfig(newRdAtomic, retryCount, rnrRetry, ackTimeout, minRnrTimer, keepalive, path);
    }

    /**
     * The same with another value of retryCount.
     *
     * @param newRetryCount how often an unanswered request is tried again, 0 to 7
     * @return a changed copy
     */
    public TransportConfig withRetryCount(int newRetryCount) {
        return new TransportConfig(rdAtomic, newRetryCount, rnrRetry, ackTimeout, minRnrTimer, keepalive, path);
    }

    /**
     * The same with another value of rnrRetry.
     *
     * @param newRnrRetry how often a request without a receive is tried again, 0 to 7; 7 is without end
     * @return a changed copy
     */
    public TransportConfig withRnrRetry(int newRnrRetry) {
        return new TransportConfig(rdAtomic, retryCount, newRnrRetry, ackTimeout, minRnrTimer, keepalive, path);
    }

    /**
     * The same with another value of ackTimeout.
     *
     * @param newAckTimeout how long to wait for an answer, more than 0; the first of several tries
     * @return a changed copy
     */
    public TransportConfig withAckTimeout(Duration newAckTimeout) {
        return new TransportConfig(rdAtomic, retryCount, rnrRetry, newAckTimeout, minRnrTimer, keepalive, path);
    }

    /**
     * The same with another value of minRnrTimer.
     *
     * @param newMinRnrTimer how long a peer without receives is left alone, more than 0
     * @return a changed copy
     */
    public TransportConfig withMinRnrTimer(Duration newMinRnrTimer) {
        return new TransportConfig(rdAtomic, retryCount, rnrRetry, ackTimeout, newMinRnrTimer, keepalive, path);
    }

    /**
     * The same with another value of keepalive.
     *
     * @param newKeepalive after how long without traffic the peer is asked whether it lives; null for never
     * @return a changed copy
     */
    public TransportConfig withKeepalive(Duration newKeepalive) {
        return new TransportConfig(rdAtomic, retryCount, rnrRetry, ackTimeout, minRnrTimer, newKeepalive, path);
    }

    /**
     * The same with another value of path.
     *
     * @param newPath the way of the packets
     * @return a changed copy
     */
    public TransportConfig withPath(PathConfig newPath) {
        return new TransportConfig(rdAtomic, retryCount, rnrRetry, ackTimeout, minRnrTimer, keepalive, newPath);
    }
}
