package io.verbena.nic.memory;

/** Keeps what lies before a guard's word on another cache line. */
abstract class GuardPadding {
    long p00, p01, p02, p03, p04, p05, p06, p07, p08, p09, p10, p11, p12, p13, p14;
}

/** The word of a {@link Guard}: odd while a data call is in flight. */
abstract class GuardWord extends GuardPadding {
    long word;
}
