package io.verbena.nic.direct;

/**
 * How sends of a queue pair are posted.
 *
 * @param singleThreaded whether posters order themselves
 * @param signalAll whether every send completes
 * @param maxSge buffers of one send
 * @param maxInline bytes of one INLINE send
 * @param inlineSource copies inline data
 */
public record PostingRules(
        boolean singleThreaded, boolean signalAll, int maxSge, int maxInline, InlineSource inlineSource) {}
