package io.verbena.nic.ring;

/** Keeps what lies before an {@link IdQueue} off the line of its head. */
abstract class IdQueuePadding {
    long s00, s01, s02, s03, s04, s05, s06, s07, s08, s09, s10, s11, s12, s13, s14;
}

/** What those who take from an {@link IdQueue} write. */
abstract class IdQueueHead extends IdQueuePadding {
    volatile long head;
}
