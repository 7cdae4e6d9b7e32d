package io.verbena.verbs;

/**
 * Where the rings of a queue pair stand, counted in work requests since it was created; for tools and for finding out
 * why nothing moves. Counts only grow: what a reset drops, datagrams too, counts as done and as polled when the reset
 * returns. The numbers are read one after another, late stages first, while the device goes on: a stage may be behind
 * the one before by what has just happened.
 *
 * @param sendsPosted sends taken by posting
 * @param sendsExecuted sends that are done, with or without a completion; the difference to sendsPosted waits
 * @param sendCompletions completions that sends have produced: those that were signalled, and failures
 * @param sendCompletionsPolled how many of those were polled
 * @param receivesPosted receives taken by posting; this and the next two are 0 with a shared receive queue
 * @param receivesCompleted receives that have a completion, flushed ones included
 * @param receivesPolled receives whose completion was polled
 */
public record QueuePairSnapshot(
        long sendsPosted,
        long sendsExecuted,
        long sendCompletions,
        long sendCompletionsPolled,
        long receivesPosted,
        long receivesCompleted,
        long receivesPolled) {}
