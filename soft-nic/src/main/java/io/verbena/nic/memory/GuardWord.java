package io.verbena.nic.memory;

/** Keeps what lies before a guard's word on another cache line. */
abstract class GuardPadding {
    long p0, p1, p2, p3, p4, p5, p6;
}

/** The word of a {@link Guard}: odd while a data call is in flight. */
abstract class GuardWord extends GuardPadding {
    long word;
}
