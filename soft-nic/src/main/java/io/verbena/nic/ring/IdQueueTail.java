package io.verbena.nic.ring;

/** Keeps the two ends of an {@link IdQueue} apart. */
abstract class IdQueueMiddle extends IdQueueHead {
    long t00, t01, t02, t03, t04, t05, t06, t07, t08, t09, t10, t11, t12, t13, t14;
}

/** What those who add to an {@link IdQueue} write. */
abstract class IdQueueTail extends IdQueueMiddle {
    volatile long tail;
}
