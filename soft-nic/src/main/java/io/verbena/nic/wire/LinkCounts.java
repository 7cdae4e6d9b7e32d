package io.verbena.nic.wire;

import io.verbena.nic.counters.NicCounters;
import io.verbena.nic.link.LinkCounter;
import io.verbena.nic.link.LinkCounters;
import io.verbena.nic.stat.DeviceCounter;

/** Carries what a link has lost over to the counters of its NIC. */
final class LinkCounts {
    private static final LinkCounter[] FROM = {LinkCounter.KERNEL_DROPS, LinkCounter.SEND_ERRORS,
        LinkCounter.RECEIVE_ERRORS, LinkCounter.RECEIVED_TOO_LONG, LinkCounter.RECEIVED_TOO_SHORT};
    private static final DeviceCounter[] TO = {DeviceCounter.PKT_DROP_SYSTEM, DeviceCounter.PKT_SEND_ERR,
        DeviceCounter.PKT_RECEIVE_ERR, DeviceCounter.PKT_DROP_TOO_LONG, DeviceCounter.PKT_DROP_BAD_LENGTH};

    private final LinkCounters link;
    private final NicCounters nic;
    private final long[] seen = new long[FROM.length];

    LinkCounts(LinkCounters link, NicCounters nic) {
        this.link = link;
        this.nic = nic;
    }

    /** Adds what is new. */
    void update() {
        for (int i = 0; i < FROM.length; i++) {
            long now = link.get(FROM[i]);
            if (now != seen[i]) {
                nic.add(TO[i], now - seen[i]);
                if (FROM[i] == LinkCounter.RECEIVED_TOO_LONG || FROM[i] == LinkCounter.RECEIVED_TOO_SHORT) {
                    nic.add(DeviceCounter.RCVD_PKTS, now - seen[i]); // it came in, though it was not handed over
                }
                seen[i] = now;
            }
        }
    }
}
