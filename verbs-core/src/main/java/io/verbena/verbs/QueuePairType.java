package io.verbena.verbs;

/** Transport service of a queue pair (ibv_create_qp(3)). */
public enum QueuePairType {
    /** Reliable connection: in order, exactly once, all opcodes. */
    RC,
    /** Unreliable connection: in order, messages may be lost, SEND and WRITE. */
    UC,
    /** Unreliable datagram: one packet a message, any peer, SEND only. */
    UD
}
