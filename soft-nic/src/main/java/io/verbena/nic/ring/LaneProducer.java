package io.verbena.nic.ring;

/** What the producer of a lane writes. */
abstract class LaneProducer extends LanePadding1 {
    /** Index of the next entry to produce; written by a ring's one producer, read by control calls. */
    volatile long tail;
    /** Packet sequence number that the producer starts its next message with; long, to leave no gap. */
    long psn;

    LaneProducer(CompletionCore core, int qpNum, long entries, int depth) {
        super(core, qpNum, entries, depth);
    }
}
