package io.verbena.nic.ring;

/** Keeps the producer's fields off the line of {@link LaneShared}. */
abstract class LanePadding1 extends LaneShared {
    long p0, p1, p2, p3, p4, p5, p6;

    LanePadding1(CompletionCore core, int qpNum, long entries, int depth) {
        super(core, qpNum, entries, depth);
    }
}
