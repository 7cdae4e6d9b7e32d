package io.verbena.nic.ring;

/** Keeps whatever lies behind a lane off the lines of {@link LaneConsumer}. */
abstract class LanePadding3 extends LaneConsumer {
    long r0, r1, r2, r3, r4, r5, r6;

    LanePadding3(CompletionCore core, int qpNum, long entries, int depth) {
        super(core, qpNum, entries, depth);
    }
}
