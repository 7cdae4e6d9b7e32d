package io.verbena.verbs;

/** States of a queue pair in the order and with the numbers of libibverbs (ibv_modify_qp(3)). */
public enum QueuePairState {
    /** New or reset; nothing may be posted. */
    RESET,
    /** Receives may be posted; nothing moves. */
    INIT,
    /** Ready to receive: requests of the peer are served. */
    RTR,
    /** Ready to send: everything works. */
    RTS,
    /** Send queue drained or draining: posted sends are held. */
    SQD,
    /** Send queue in error (UC and UD only). */
    SQE,
    /** Everything is flushed. */
    ERR
}
