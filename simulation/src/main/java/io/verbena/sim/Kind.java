package io.verbena.sim;

import io.verbena.verbs.Opcode;

/** Kinds of work, each with what its success must have done. */
enum Kind {
    /** A message. */
    SEND(Opcode.SEND, true),
    /** A message with an immediate value. */
    SEND_IMM(Opcode.SEND_WITH_IMM, true),
    /** A message whose bytes are those that the READ before it fetched. */
    FENCED_SEND(Opcode.SEND, true),
    /** Writes to the peer. */
    WRITE(Opcode.RDMA_WRITE, false),
    /** Writes to the peer and tells it. */
    WRITE_IMM(Opcode.RDMA_WRITE_WITH_IMM, true),
    /** Reads from the peer. */
    READ(Opcode.RDMA_READ, false),
    /** Adds to a counter of the peer. */
    FETCH_ADD(Opcode.ATOMIC_FETCH_AND_ADD, false),
    /** Swaps a counter of the peer. */
    COMPARE_SWAP(Opcode.ATOMIC_CMP_AND_SWP, false),
    /** Writes 8 bytes to the peer at once. */
    ATOMIC_WRITE(Opcode.ATOMIC_WRITE, false),
    /** Writes by a key of another protection domain. */
    WRONG_DOMAIN(Opcode.RDMA_WRITE, false),
    /** Writes by a key that only may be read through. */
    WRONG_RIGHT(Opcode.RDMA_WRITE, false),
    /** Writes one byte beyond what a key opens. */
    ONE_BEYOND(Opcode.RDMA_WRITE, false),
    /** Writes one byte before what a key opens. */
    ONE_BEFORE(Opcode.RDMA_WRITE, false),
    /** Reads by a key that never was. */
    NO_KEY(Opcode.RDMA_READ, false);

    private final Opcode opcode;
    private final boolean message;

    Kind(Opcode opcode, boolean message) {
        this.opcode = opcode;
        this.message = message;
    }

    Opcode opcode() {
        return opcode;
    }

    /** Whether it takes a receive of the peer. */
    boolean isMessage() {
        return message;
    }

    /** Whether the peer must refuse it. */
    boolean isWicked() {
        return ordinal() >= WRONG_DOMAIN.ordinal();
    }

    boolean isAtomic() {
        return this == FETCH_ADD || this == COMPARE_SWAP;
    }

    boolean isWrite() {
        return this == WRITE || this == WRITE_IMM || this == ATOMIC_WRITE;
    }
}
