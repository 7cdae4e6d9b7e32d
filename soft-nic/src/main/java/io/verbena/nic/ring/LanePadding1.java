package io.verbena.nic.ring;

/** Keeps the consumer's fields off the line of {@link LaneShared}. */
abstract class LanePadding1 extends LaneShared {
    long p00, p01, p02, p03, p04, p05, p06, p07, p08, p09, p10, p11, p12, p13, p14;
}
