package io.verbena.bench;

/** The atomics that the atomic tests can do, named as in perftest. */
public enum AtomicType {
    /** Compare 8 bytes and swap them when equal. */
    CMP_AND_SWAP,
    /** Add to 8 bytes. */
    FETCH_AND_ADD
}
