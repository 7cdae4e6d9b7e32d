package io.verbena.cli;

import java.util.List;

/**
 * A goal of the path over shared memory: a figure of ours by one of something else that was measured in the same turns.
 *
 * @param name what is compared
 * @param ours the launch of ours
 * @param field which of its figures
 * @param base the launch that it is compared with
 * @param baseField which of its figures
 * @param limit the ratio to reach
 * @param atLeast whether the ratio must reach the limit; else it must not exceed it
 */
record ShmGoal(
        String name, ShmLaunch ours, String field, ShmLaunch base, String baseField, double limit, boolean atLeast) {
    private static final String RATE = "ops_per_second";

    /** What is to be reached. */
    static List<ShmGoal> all() {
        return List.of(
                times("SEND 64 B round trip, p50", ShmLaunch.SEND, "p50", ShmLaunch.BARE, 1.4),
                times("SEND 64 B round trip, p99", ShmLaunch.SEND, "p99", ShmLaunch.BARE, 2),
                times("WRITE 64 B, post to completion", ShmLaunch.WRITE, "p50", ShmLaunch.BARE, 0.25),
                times("READ 64 B of a resting target", ShmLaunch.READ, "p50", ShmLaunch.BARE, 0.25),
                times("READ 64 B of what was just written", ShmLaunch.READ_FRESH, "p50", ShmLaunch.BARE, 0.5),
                times("FETCH_AND_ADD", ShmLaunch.ATOMIC, "p50", ShmLaunch.BARE, 0.5),
                times("SEND 64 B round trip", ShmLaunch.SEND, "p50", ShmLaunch.AERON, 1),
                times("SEND 64 B round trip", ShmLaunch.SEND, "p50", ShmLaunch.UCX, 1),
                new ShmGoal("SEND 64 B stream", ShmLaunch.STREAM, RATE, ShmLaunch.RING, RATE, 0.9, true),
                new ShmGoal("READ 1 MiB", ShmLaunch.BULK, RATE, ShmLaunch.COPY, RATE, 0.9, true));
    }

    private static ShmGoal times(String name, ShmLaunch ours, String field, ShmLaunch base, double limit) {
        return new ShmGoal(name, ours, field, base, field, limit, false);
    }

    /** Whether a ratio reaches it. A stream of 15 million a second does, whatever the other one does. */
    boolean isMet(double ratio, double value) {
        return atLeast ? ratio >= limit || ours == ShmLaunch.STREAM && value >= ShmGoals.ENOUGH : ratio <= limit;
    }
}
