package io.verbena.nic.ring;

/** Keeps the producer's fields off the lines of {@link LaneConsumer}. */
abstract class LanePadding2 extends LaneConsumer {
    long q00, q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14;
}
