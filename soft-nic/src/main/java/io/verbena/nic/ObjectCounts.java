package io.verbena.nic;

import io.verbena.nic.counters.NicCounters;
import io.verbena.nic.stat.DeviceCounter;
import io.verbena.verbs.DeviceLimit;
import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Supplier;

/** How many objects of each limited kind a NIC has; with the control lock held. */
final class ObjectCounts {
    private final Map<DeviceLimit, Long> counts = new EnumMap<>(DeviceLimit.class);

    private final NicCounters counters;

    ObjectCounts(NicCounters counters) {
        this.counters = counters;
    }

    /** Makes an object and counts it, or says that the device has no more. What fails to be made is not counted. */
    <T> T make(DeviceLimit kind, Supplier<T> maker) {
        long limit = NicLimits.limit(kind);
        if (of(kind) >= limit) {
            throw new VerbsException(Errno.ENOMEM, kind.name(), "the device has no more: " + kind + " is " + limit
                    + "; close what is no longer used");
        }
        T made;
        try {
            made = maker.get();
        } catch (OutOfMemoryError e) {
            throw new VerbsException(Errno.ENOMEM, kind.name(),
                    "there is not enough memory; ask for less or close other objects");
        }
        counts.merge(kind, 1L, Long::sum);
        count(kind, 1);
        return made;
    }

    /** How many there are. */
    long of(DeviceLimit kind) {
        return counts.getOrDefault(kind, 0L);
    }

    /** Counts one less. */
    void remove(DeviceLimit kind) {
        counts.merge(kind, -1L, Long::sum);
        count(kind, -1);
    }

    /** Notes one more or less of a kind in the counters, if that kind is counted. */
    void count(DeviceLimit kind, int delta) {
        switch (kind) {
            case MAX_PD -> count(DeviceCounter.PDS, DeviceCounter.PDS_CREATED, delta);
            case MAX_MR -> count(DeviceCounter.MRS, DeviceCounter.MRS_CREATED, delta);
            case MAX_MW -> count(DeviceCounter.MWS, DeviceCounter.MWS_CREATED, delta);
            case MAX_CQ -> count(DeviceCounter.CQS, DeviceCounter.CQS_CREATED, delta);
            case MAX_QP -> count(DeviceCounter.QPS, DeviceCounter.QPS_CREATED, delta);
            case MAX_SRQ -> count(DeviceCounter.SRQS, DeviceCounter.SRQS_CREATED, delta);
            case MAX_AH -> count(DeviceCounter.AHS, DeviceCounter.AHS_CREATED, delta);
            default -> { }
        }
    }

    private void count(DeviceCounter now, DeviceCounter created, int delta) {
        counters.add(now, delta);
        counters.add(created, Math.max(0, delta));
    }
}
