package io.verbena.verbs;

/**
 * What a completion queue holds, for tools and for finding out why nothing moves. A snapshot: the device may have gone
 * on since.
 *
 * @param waiting completions that polling would return; flushed receives are counted, sends still to be flushed are not
 * @param arming what the next event waits for
 * @param failed whether the queue has overflowed and is in error
 */
public record CompletionQueueSnapshot(long waiting, Arming arming, boolean failed) {
    /** What a completion queue was armed for by {@link CompletionQueue#arm}. */
    public enum Arming {
        /** No event will come. */
        NOT_ARMED,
        /** One event comes with the next solicited completion or failure. */
        SOLICITED_ONLY,
        /** One event comes with the next completion. */
        ANY
    }
}
