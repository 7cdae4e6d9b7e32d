package io.verbena.bench;

import io.verbena.verbs.Opcode;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.SendRequests;
import org.HdrHistogram.Histogram;

/** read_bw: RDMA READs of idle memory. */
final class ReadBandwidth extends Bandwidth {
    ReadBandwidth(StopFlag stop, Endpoint own, PeerMemory peer, PerfConfig config, Histogram histogram) {
        super(stop, own, peer, config, histogram);
    }

    @Override
    int post(QueuePair qp, int index, long wrId, int allFlags) {
        return qp.postRead(wrId, addresses[index], size, lkey, remoteAddresses[index], rkey, allFlags);
    }

    @Override
    void add(SendRequests requests, int index, long wrId, int allFlags) {
        requests.add(wrId, Opcode.RDMA_READ, allFlags).sge(addresses[index], size, lkey)
                .remote(remoteAddresses[index], rkey);
    }
}
