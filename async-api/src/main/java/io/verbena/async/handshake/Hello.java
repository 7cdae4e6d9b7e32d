package io.verbena.async.handshake;

import io.verbena.verbs.QueuePairEndpoint;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * What one end says about itself and the queue pair it has made. Immutable; arrays are not copied, so leave them alone.
 *
 * @param endpoint its queue pair
 * @param place which devices can reach it
 * @param limits what it can do
 * @param capabilities bits of what it can do besides; their meaning is the callers'
 * @param required those of its capabilities that the other end must have too
 * @param privateData for the other end's program, up to 512 bytes
 * @param features more about it by number, 256 to 32767, for the callers; an end that doesn't know one leaves it alone
 */
public record Hello(
        QueuePairEndpoint endpoint,
        Place place,
        Limits limits,
        long capabilities,
        long required,
        byte[] privateData,
        Map<Integer, byte[]> features) {
    /** The longest private data in bytes. */
    public static final int MAX_PRIVATE_DATA = 512;

    /** The longest feature in bytes. */
    public static final int MAX_FEATURE = 256;

    /** The lowest number of a feature. */
    public static final int FIRST_FEATURE = 0x100;

    /** The highest number of a feature. */
    public static final int LAST_FEATURE = 0x7FFF;

    private static final int MAX_FEATURES = 8;

    /**
     * Checks sizes and numbers.
     *
     * @throws IllegalArgumentException for what is out of range; says which
     */
    public Hello {
        Objects.requireNonNull(endpoint, "endpoint");
        Objects.requireNonNull(place, "place");
        Objects.requireNonNull(limits, "limits");
        if (privateData.length > MAX_PRIVATE_DATA) {
            throw new IllegalArgumentException(
                    "privateData has " + privateData.length + " bytes; allowed: 0 to " + MAX_PRIVATE_DATA);
        }
        if ((required & ~capabilities) != 0) {
            throw new IllegalArgumentException("required has bits that capabilities doesn't have: 0x"
                    + Long.toHexString(required & ~capabilities));
        }
        if (features.size() > MAX_FEATURES) {
            throw new IllegalArgumentException(
                    "there are " + features.size() + " features; allowed: 0 to " + MAX_FEATURES);
        }
        features = new TreeMap<>(features);
        features.forEach((number, bytes) -> {
            if (number < FIRST_FEATURE || number > LAST_FEATURE || bytes.length > MAX_FEATURE) {
                throw new IllegalArgumentException("feature " + number + " has " + bytes.length
                        + " bytes; allowed: numbers 256 to 32767 with up to " + MAX_FEATURE + " bytes");
            }
        });
    }

    /** Without private data, whose contents are nobody's business. */
    @Override
    public String toString() {
        return "Hello[" + endpoint + ", " + place + ", " + limits + ", capabilities=0x"
                + Long.toHexString(capabilities) + ", required=0x" + Long.toHexString(required) + ", privateData="
                + privateData.length + " bytes, features=" + features.keySet() + "]";
    }

    /** Compares contents of arrays too. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Hello h
                && endpoint.equals(h.endpoint)
                && place.equals(h.place)
                && limits.equals(h.limits)
                && capabilities == h.capabilities
                && required == h.required
                && Arrays.equals(privateData, h.privateData)
                && features.keySet().equals(h.features.keySet())
                && features.entrySet().stream().allMatch(f -> Arrays.equals(f.getValue(), h.features.get(f.getKey())));
    }

    @Override
    public int hashCode() {
        return endpoint.hashCode();
    }
}
