package io.verbena.nic.direct;

import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.QueuePairType;

/**
 * How sends of a queue pair are posted.
 *
 * @param type the transport service
 * @param singleThreaded whether posters order themselves
 * @param signalAll whether every send completes
 * @param maxSge buffers of one send
 * @param maxInline bytes of one INLINE send
 * @param inlineSource the protection domain: copies inline data; address handles must be of it
 * @param windows finds what is bound
 */
public record PostingRules(
        QueuePairType type, boolean singleThreaded, boolean signalAll, int maxSge, int maxInline,
        InlineSource inlineSource, WindowSource windows) {
    boolean isDatagram() {
        return type == QueuePairType.UD;
    }

    /** The way that an address handle stands for; null when it may not be used. */
    Route route(AddressHandle handle) {
        return handle instanceof RoutedHandle routed && routed.route().isUsable(inlineSource) ? routed.route() : null;
    }
}
