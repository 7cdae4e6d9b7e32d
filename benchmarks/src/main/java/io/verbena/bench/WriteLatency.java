package io.verbena.bench;

import io.verbena.verbs.QueuePair;
import io.verbena.verbs.SendFlags;
import org.HdrHistogram.Histogram;

/** write_comp_lat: RDMA WRITEs to idle memory, one after another, from post to completion. */
final class WriteLatency extends CompletionLatency {
    private final int flags;

    WriteLatency(StopFlag stop, Endpoint own, PeerMemory peer, long size, int flags, Histogram histogram) {
        super(stop, own, peer, size, GROUP, histogram);
        this.flags = flags | SendFlags.SIGNALED;
    }

    @Override
    int post(QueuePair to) {
        return to.postWrite(0, address, size, lkey, remoteAddress, rkey, flags);
    }
}
