package io.verbena.nic.shm;

import io.verbena.verbs.Gid;

/** What the ends of an attachment tell each other: the user asks, the owner answers every question once. */
sealed interface Message {
    /** First of all, by the user. */
    record Hello(int version, Gid gid, long pid) implements Message {}

    /** The answer to {@link Hello}; with the board's descriptor. */
    record Welcome(int version, Gid gid, long boardBytes) implements Message {}

    /** The user wants to connect its queue pair to one of the owner's. */
    record OpenQueuePair(int qpNum, int userQpNum) implements Message {}

    /** The answer to {@link OpenQueuePair}; with the inbox's descriptor. */
    record QueuePairOpened(QueuePairGeometry geometry) implements Message {}

    /** The user's queue pair is no longer connected. */
    record CloseQueuePair(int qpNum, int userQpNum) implements Message {}

    /** The user was shown a key and wants to map the memory behind it. */
    record OpenRegion(int rkey) implements Message {}

    /** The answer to {@link OpenRegion}; with the descriptor of the allocation that the region lies in. */
    record RegionOpened(long allocationBytes, long start, long bytes) implements Message {}

    /** A request of the user broke the owner's queue pair; an ordinal of QueuePairEvent.Kind. */
    record Broken(int qpNum, int userQpNum, int kind) implements Message {}

    /** The answer to what needs no other. */
    record Done() implements Message {}

    /** The answer when there is none. */
    record Refused(int errno, String reason) implements Message {}
}
