package io.verbena.nic.ring;

/** What the producer of a lane writes. */
abstract class LaneProducer extends LanePadding2 {
    /** Index of the next entry to produce; written by the one producer, read by control calls. */
    volatile long tail;
    /** Packet sequence number that the producer starts its next message with. */
    int psn;
}
