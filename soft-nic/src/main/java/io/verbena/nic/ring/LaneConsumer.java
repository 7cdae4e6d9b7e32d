package io.verbena.nic.ring;

/** What the poller of a lane writes. */
abstract class LaneConsumer extends LanePadding1 {
    /** Index of the next entry to poll; written with release, read by the poster when its queue seems full. */
    long head;
    /** Entries below this index are dropped unpolled, because the queue pair was reset. */
    volatile long discardBefore;
    /** The lane's memory is about to go; the poller must forget it. */
    volatile boolean removed;
    /** When the poller last took something here, in polls. */
    long lastServed;
    /** Next in the stack of lanes that became ready. */
    CompletionLane nextReady;
}
