package io.verbena.cli;

/**
 * A goal of a path: a figure of ours by one of something else that was measured in the same turns.
 *
 * @param name what is compared
 * @param ours the launch of ours
 * @param field which figure of both
 * @param base the launch that it is compared with
 * @param limit the ratio to reach
 * @param atLeast whether the ratio must reach the limit; else it must not exceed it
 * @param enough a figure of ours that reaches the goal whatever the other one is
 */
record Goal(String name, Launch ours, String field, Launch base, double limit, boolean atLeast, double enough) {
    /** Operations in a second. */
    static final String RATE = "ops_per_second";

    /** A time that must not be longer. */
    static Goal times(String name, Launch ours, String field, Launch base, double limit) {
        return new Goal(name, ours, field, base, limit, false, Double.NEGATIVE_INFINITY);
    }

    /** A rate that must not be lower. */
    static Goal rate(String name, Launch ours, Launch base, double limit) {
        return new Goal(name, ours, RATE, base, limit, true, Double.POSITIVE_INFINITY);
    }

    /** The same, but a figure of ours is enough. */
    Goal orEnough(double figure) {
        return new Goal(name, ours, field, base, limit, atLeast, figure);
    }

    /** Whether a ratio, with the figure of ours in it, reaches the goal. */
    boolean isMet(double ratio, double value) {
        return atLeast ? ratio >= limit || value >= enough : ratio <= limit || value <= enough;
    }
}
