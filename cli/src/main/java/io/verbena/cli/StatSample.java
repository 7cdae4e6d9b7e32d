package io.verbena.cli;

import io.verbena.nic.stat.CounterSnapshot;
import io.verbena.nic.stat.DeviceCounter;
import io.verbena.nic.stat.QueuePairSample;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What one NIC counted until now and, when it was looked at before, until then. */
final class StatSample {
    private final CounterSnapshot now;
    private final CounterSnapshot then;
    private final double seconds;
    private final Map<Integer, QueuePairSample> queuePairsThen;

    /** Puts a snapshot beside the one before; then is null for the first. */
    StatSample(CounterSnapshot now, CounterSnapshot then, double seconds) {
        this.now = now;
        this.then = then;
        this.seconds = seconds;
        queuePairsThen = then == null ? Map.of() : then.queuePairs().stream()
                .collect(Collectors.toMap(QueuePairSample::qpNum, Function.identity(), (first, second) -> first));
    }

    CounterSnapshot now() {
        return now;
    }

    boolean hasRates() {
        return then != null;
    }

    /** Seconds since the sample before. */
    double seconds() {
        return seconds;
    }

    /** How much a counter went up each second; 0 for those that say how many there are now. */
    double rate(DeviceCounter counter) {
        return counter.unit() == DeviceCounter.Unit.NOW ? 0 : rate(now.total(counter), then.total(counter));
    }

    /** How much something went up each second. */
    double rate(long nowValue, long thenValue) {
        return (nowValue - thenValue) / seconds;
    }

    /** The same queue pair in the sample before, or null. */
    QueuePairSample before(QueuePairSample queuePair) {
        return queuePairsThen.get(queuePair.qpNum());
    }
}
