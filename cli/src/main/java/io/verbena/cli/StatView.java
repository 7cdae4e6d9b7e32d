package io.verbena.cli;

import io.verbena.nic.stat.QueuePairSample;
import java.util.Comparator;
import java.util.List;

/**
 * What of a sample is shown.
 *
 * @param queuePairs whether queue pairs are
 * @param limit how many of them
 * @param order in which order
 * @param zeros whether counters that are 0 are
 */
record StatView(boolean queuePairs, int limit, StatOrder order, boolean zeros) {
    /** The queue pairs to show; by what they did since the last sample when there is one. */
    List<QueuePairSample> choose(StatSample sample) {
        return sample.now().queuePairs().stream()
                .sorted(Comparator.comparingLong((QueuePairSample each) -> -key(sample, each))
                        .thenComparing(QueuePairSample::qpNum))
                .limit(limit)
                .toList();
    }

    private long key(StatSample sample, QueuePairSample queuePair) {
        QueuePairSample before = order == StatOrder.QPN ? null : sample.before(queuePair);
        return order.key(queuePair) - (before == null ? 0 : order.key(before));
    }
}
