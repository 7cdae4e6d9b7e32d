package io.verbena.nic;

import io.verbena.verbs.DeviceLimit;
import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
import java.util.EnumMap;
import java.util.Map;

/** How many objects of each limited kind a NIC has; with the control lock held. */
final class ObjectCounts {
    private final Map<DeviceLimit, Long> counts = new EnumMap<>(DeviceLimit.class);

    /** Counts one more, or says that the device has no more. */
    void add(DeviceLimit kind) {
        long limit = NicLimits.limit(kind);
        long now = counts.getOrDefault(kind, 0L);
        if (now >= limit) {
            throw new VerbsException(Errno.ENOMEM, kind.name(), "the device has no more: " + kind + " is " + limit
                    + "; close what is no longer used");
        }
        counts.put(kind, now + 1);
    }

    /** How many there are. */
    long of(DeviceLimit kind) {
        return counts.getOrDefault(kind, 0L);
    }

    /** Counts one less. */
    void remove(DeviceLimit kind) {
        counts.merge(kind, -1L, Long::sum);
    }
}
