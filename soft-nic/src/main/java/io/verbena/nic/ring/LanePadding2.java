package io.verbena.nic.ring;

/** Keeps the consumer's fields off the lines of {@link LaneProducer}. */
abstract class LanePadding2 extends LaneProducer {
    long q0, q1, q2, q3, q4, q5, q6;

    LanePadding2(CompletionCore core, int qpNum, long entries, int depth) {
        super(core, qpNum, entries, depth);
    }
}
