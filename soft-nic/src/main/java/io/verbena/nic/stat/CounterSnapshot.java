package io.verbena.nic.stat;

import java.util.List;
import java.util.Map;

/**
 * Everything that one counter file said at one time.
 *
 * @param owner which process and NIC
 * @param openedMillis when the NIC was opened, in milliseconds since 1970
 * @param totals each counter's total by its label, in the order of {@link DeviceCounter}
 * @param queuePairs the open queue pairs
 * @param hidden open queue pairs that the file has no room for
 * @param consistent false when a queue pair was being closed all the while, as in a process that died doing so; totals
 *     may then miss one queue pair or count it twice
 */
public record CounterSnapshot(
        CounterOwner owner,
        long openedMillis,
        Map<String, Long> totals,
        List<QueuePairSample> queuePairs,
        long hidden,
        boolean consistent) {

    /**
     * The total of one counter.
     *
     * @param counter which one
     * @return its value; 0 when the file has no such counter
     */
    public long total(DeviceCounter counter) {
        return totals.getOrDefault(counter.label(), 0L);
    }
}
