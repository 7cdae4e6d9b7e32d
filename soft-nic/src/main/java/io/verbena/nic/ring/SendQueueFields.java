package io.verbena.nic.ring;

/** Keeps what lies before the claim word on another cache line. */
abstract class SendQueuePadding {
    long p00, p01, p02, p03, p04, p05, p06, p07, p08, p09, p10, p11, p12, p13, p14;
}

/** The words of a {@link SendQueue} that posters and the executor share. */
abstract class SendQueueFields extends SendQueuePadding {
    /** Bit 63 closed, bits 1-62 sequences handed out, bit 0 claimed by an executor. */
    volatile long claim;
    /** Sequences executed: every work request before this one is done. Written by the executor. */
    volatile long executed;
    /** A lower bound of the sequences whose slots are free again. */
    long retired;
}
