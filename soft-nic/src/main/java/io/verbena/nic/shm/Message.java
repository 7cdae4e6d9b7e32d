package io.verbena.nic.shm;

import io.verbena.verbs.Gid;

/**
 * What the ends of an attachment tell each other: the user asks, the owner answers every question once, in order; what
 * needs no answer says so.
 */
sealed interface Message {
    /** First of all, by the user. */
    record Hello(int version, Gid gid, long pid) implements Message {}

    /** First of all instead, by who sends datagrams and nothing else; needs no answer. */
    record Courier(int version, Gid gid) implements Message {}

    /** The answer to {@link Hello}; with the descriptors of the board and of the user's bell. */
    record Welcome(int version, Gid gid, long boardBytes) implements Message {}

    /** The user wants to connect its queue pair to one of the owner's. */
    record OpenQueuePair(int qpNum, int userQpNum) implements Message {}

    /**
     * The answer to {@link OpenQueuePair}; with the inbox's descriptor.
     *
     * @param service how it serves
     * @param domain number of the protection domain that keys must belong to
     * @param lives the number of its life, another after every reset
     * @param next index of the next completion
     * @param psn packet sequence number that the first message must start with; -1 for any
     * @param attention how the user is noticed
     */
    record QueuePairOpened(QueuePairGeometry geometry, Service service, int domain, long lives, long next, int psn,
            Attention attention) implements Message {}

    /**
     * How a queue pair serves.
     *
     * @param type ordinal of a QueuePairType
     * @param draws whether its receives are drawn from by others too, and filled by the owner's process only
     */
    record Service(int type, boolean draws) {}

    /** The user's queue pair is no longer connected. */
    record CloseQueuePair(int qpNum, int userQpNum) implements Message {}

    /** The user was shown a key and wants to map the memory behind it. */
    record OpenRegion(int rkey) implements Message {}

    /** The answer to {@link OpenRegion}; with the descriptor of the allocation that the region lies in. */
    record RegionOpened(long allocationBytes, long start, long bytes) implements Message {}

    /** Something happens to the owner's queue pair, see {@link Exports.Connection#notice}; needs no answer. */
    record Notice(int qpNum, int userQpNum, int kind) implements Message {}

    /** The user's bell has rung, and somebody is to be told who can't watch it; needs no answer. */
    record Ring() implements Message {}

    /**
     * Memory for requests of the user's queue pair that the owner's process is to execute; with its descriptor. Needs
     * no answer.
     *
     * @param bytes its size
     */
    record Room(int qpNum, int userQpNum, long bytes) implements Message {}

    /** There is such a request; it is answered there, see {@link io.verbena.nic.direct.DelegatedRequest}. */
    record Asked(int qpNum, int userQpNum) implements Message {}

    /**
     * A datagram; needs no answer.
     *
     * @param to the owner or a multicast group
     * @param ends which queue pairs
     * @param flags {@link #WITH_IMM}, {@link #SOLICITED}
     * @param header what the receiver sees first
     */
    record Datagram(Gid to, DatagramEnds ends, int imm, int flags, byte[] header, byte[] payload)
            implements Message {
        static final int WITH_IMM = 1;
        static final int SOLICITED = 2;
    }

    /** The queue pair that a datagram is for, the queue key that it shows, and the queue pair that sends it. */
    record DatagramEnds(int qpNum, int qkey, int sourceQpNum) {}

    /** The user takes datagrams of groups from now on; answered once the owner sends them to it. */
    record Joined() implements Message {}

    /** The user's process runs; needs no answer. */
    record Alive() implements Message {}

    /** The answer to what needs no other. */
    record Done() implements Message {}

    /** The answer when there is none. */
    record Refused(int errno, String reason) implements Message {}
}
