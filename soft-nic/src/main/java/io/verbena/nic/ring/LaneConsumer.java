package io.verbena.nic.ring;

/** What the poller of a lane writes. */
abstract class LaneConsumer extends LanePadding2 {
    /** Index of the next entry to poll; written with release, read by the poster when its queue seems full. */
    long head;
    /** Send lanes: one more than the sequence of the completion polled last; written before head. */
    long polledSequences;
    /** When the poller last took something here, in polls. */
    long lastServed;
    /** A control call is dropping what the lane holds; the poller must pass it by. */
    volatile boolean paused;
    /** The lane's memory is about to go; the poller must forget it. */
    volatile boolean removed;
    /** Next in the poller's circle of hot lanes. */
    CompletionLane nextHot;
    /** Next in the stack of lanes that became ready, then in the poller's {@link LaneFifo}; never in both. */
    CompletionLane nextReady;
    /** Neighbours in the completion queue's {@link LaneList}; control calls only. */
    CompletionLane nextLane;
    /** See {@link #nextLane}. */
    CompletionLane previousLane;

    LaneConsumer(CompletionCore core, int qpNum, long entries, int depth) {
        super(core, qpNum, entries, depth);
    }
}
