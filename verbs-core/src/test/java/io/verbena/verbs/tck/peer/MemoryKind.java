package io.verbena.verbs.tck.peer;

/** Where registered memory comes from; providers reach these in different ways. */
public enum MemoryKind {
    /** Context.allocateMemory: the device controls its life. */
    DEVICE,
    /** Arena.ofShared: the user may close it at any time. */
    SHARED,
    /** Arena.ofAuto: lives as long as it is reachable. */
    AUTO,
    /** Arena.global: lives for ever. */
    GLOBAL,
    /** A sparse file mapped into a shared arena, for sizes that would not fit otherwise. */
    SPARSE_FILE
}
