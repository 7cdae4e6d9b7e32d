package io.verbena.nic.link;

import io.verbena.verbs.AddressVector;

/**
 * What the IP header of a packet says besides addresses. The flow label is not among it: the system gives one to each
 * flow by itself, and lets nobody choose who has not leased it.
 *
 * @param trafficClass the type of service or traffic class, 0 to 255
 * @param hopLimit the time to live or hop limit, 1 to 255; 0 leaves it to the system
 */
public record Marks(int trafficClass, int hopLimit) {
    /** What the system does for who says nothing. */
    public static final Marks USUAL = new Marks(0, 0);

    private static final int USUAL_HOPS = 64;

    /** Those of an address vector. */
    public static Marks of(AddressVector vector) {
        int hops = vector.hopLimit() == USUAL_HOPS ? 0 : vector.hopLimit();
        return vector.trafficClass() == 0 && hops == 0 ? USUAL : new Marks(vector.trafficClass(), hops);
    }
}
