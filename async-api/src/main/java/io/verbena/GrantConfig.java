package io.verbena;

import java.time.Duration;

/**
 * What a peer may ask for of this side. Immutable.
 *
 * @param quotaBytes memory that the peer may hold by requests, 0 or more; what it hands back counts until this side's
 *     application takes it
 * @param maxRights remote rights that a request may ask for, bits of {@link io.verbena.verbs.Access}
 * @param maxDuration longest lease granted; a request for more gets this, null for any
 */
public record GrantConfig(
        long quotaBytes, int maxRights, Duration maxDuration) {
    /** Usual values. */
    public static final GrantConfig DEFAULT = new GrantConfig(64L << 20, AllocationOptions.REMOTE, null);

    /** Checks the values. */
    public GrantConfig {
        Checks.range("quotaBytes", quotaBytes, 0, Long.MAX_VALUE);
        AllocationOptions.checkRemote("maxRights", maxRights);
        Checks.duration("maxDuration", maxDuration);
    }

    /**
     * The same with another value of quotaBytes.
     *
     * @param newQuotaBytes memory that the peer may hold by requests, 0 or more
     * @return a changed copy
     */
    public GrantConfig withQuotaBytes(long newQuotaBytes) {
        return new GrantConfig(newQuotaBytes, maxRights, maxDuration);
    }

    /**
     * The same with another value of maxRights.
     *
     * @param newMaxRights remote rights that a request may ask for, bits of {@link io.verbena.verbs.Access}
     * @return a changed copy
     */
    public GrantConfig withMaxRights(int newMaxRights) {
        return new GrantConfig(quotaBytes, newMaxRights, maxDuration);
    }

    /**
     * The same with another value of maxDuration.
     *
     * @param newMaxDuration longest lease granted; a request for more gets this, null for any
     * @return a changed copy
     */
    public GrantConfig withMaxDuration(Duration newMaxDuration) {
        return new GrantConfig(quotaBytes, maxRights, newMaxDuration);
    }
}
