package io.verbena.async.handshake;

/**
 * What two ends have agreed on, as one of them sees it.
 *
 * @param version the version of the handshake
 * @param mtuBytes the path MTU of both queue pairs
 * @param rdAtomic how many READs and atomics may be under way in either direction
 * @param sendSlots how many messages this end may have under way: the other one's receive slots
 * @param sendSlotBytes how long a message to the other end may be that travels in one slot, its header included
 * @param maxMessageBytes the longest message, either way
 * @param peerKeepaliveMillis how often the other end looks whether this one is there; 0 for never
 * @param capabilities what both can do
 */
public record Agreement(
        int version,
        int mtuBytes,
        int rdAtomic,
        int sendSlots,
        int sendSlotBytes,
        long maxMessageBytes,
        long peerKeepaliveMillis,
        long capabilities) {}
