package io.verbena.bench;

import io.verbena.verbs.QueuePair;
import io.verbena.verbs.SendFlags;
import org.HdrHistogram.Histogram;

/** RDMA WRITEs to idle memory, one after another, from post to completion. */
final class WriteLatency extends CompletionLatency {
    WriteLatency(StopFlag stop, Endpoint own, Endpoint peer, long size, Histogram histogram) {
        super(stop, own, peer, size, histogram);
    }

    @Override
    int post(QueuePair to) {
        return to.postWrite(0, address, size, lkey, remoteAddress, rkey, SendFlags.SIGNALED);
    }
}
