package io.verbena.verbs.tck.peer;

import java.io.Serializable;

/**
 * What a service of side B does. ECHO answers each message of a queue pair with a SEND of the same length (and
 * checks a memory range against the pattern whose seed is the immediate value, when a memory is named); SENDER sends
 * messages one after another as fast as they are taken.
 *
 * @param kind what it does
 * @param objects the queue pair and its completion queues
 * @param buffer registered memory to receive into and send from
 * @param bytes length of a message
 * @param count messages to send; ignored by ECHO
 * @param check memory and length that ECHO checks, or null
 */
public record ServiceSpec(Kind kind, Objects objects, PeerAnswer.RegionInfo buffer, int bytes, long count, Check check)
        implements Serializable {
    /** What a service does. */
    public enum Kind {
        /** Answers messages. */
        ECHO,
        /** Sends messages. */
        SENDER
    }

    /**
     * Handles of the objects a service works with.
     *
     * @param qp the queue pair
     * @param sendCq its completion queue for sends
     * @param recvCq its completion queue for receives
     */
    public record Objects(int qp, int sendCq, int recvCq) implements Serializable {}

    /**
     * A memory range that must hold a pattern when a message arrives.
     *
     * @param memory handle
     * @param bytes from its start
     */
    public record Check(int memory, long bytes) implements Serializable {}
}
