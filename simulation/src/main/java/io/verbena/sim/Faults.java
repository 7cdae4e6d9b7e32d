package io.verbena.sim;

/**
 * What the network does to packets, in both directions, until it heals.
 *
 * @param loss share of packets lost, 0 to 1
 * @param duplicate share of packets that arrive twice
 * @param reorder share of packets that others may overtake
 * @param corrupt share of packets of which one bit is flipped
 * @param minDelayNs shortest way
 * @param maxDelayNs longest way; those overtaken take up to eight times as long
 * @param capacity packets under way in one direction; more are lost
 */
record Faults(
        double loss, double duplicate, double reorder, double corrupt, long minDelayNs, long maxDelayNs,
        int capacity) {
    static final Faults NONE = new Faults(0, 0, 0, 0, 1_000, 1_000, Integer.MAX_VALUE);

    /** The same way, but every packet arrives. */
    Faults healed() {
        return new Faults(0, 0, 0, 0, minDelayNs, minDelayNs, Integer.MAX_VALUE);
    }
}
