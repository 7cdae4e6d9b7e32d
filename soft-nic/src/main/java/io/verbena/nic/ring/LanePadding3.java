package io.verbena.nic.ring;

/** Keeps what both ends read, in the classes below, off the line of {@link LaneProducer}. */
abstract class LanePadding3 extends LaneProducer {
    long r00, r01, r02, r03, r04, r05, r06, r07, r08, r09, r10, r11, r12, r13, r14;
}
