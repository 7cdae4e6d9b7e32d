package io.verbena.bench;

import io.verbena.verbs.QueuePair;
import io.verbena.verbs.SendFlags;
import org.HdrHistogram.Histogram;

/** read_lat and read_comp_lat: RDMA READs of idle memory, one after another. */
final class ReadLatency extends CompletionLatency {
    ReadLatency(StopFlag stop, Endpoint own, PeerMemory peer, long size, int group, Histogram histogram) {
        super(stop, own, peer, size, group, histogram);
    }

    @Override
    int post(QueuePair to) {
        return to.postRead(0, address, size, lkey, remoteAddress, rkey, SendFlags.SIGNALED);
    }
}
