package io.verbena.verbs;

/** Called for each completion that {@link CompletionQueue#poll(CompletionHandler, int)} takes. */
@FunctionalInterface
public interface CompletionHandler {
    /**
     * Looks at one completion. May post, poll and make control calls: no poll is in progress meanwhile.
     *
     * @param completion valid during the call only; it is filled again for the next completion
     */
    void onCompletion(WorkCompletion completion);
}
