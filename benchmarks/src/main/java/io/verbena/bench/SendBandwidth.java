package io.verbena.bench;

import io.verbena.verbs.Opcode;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.SendRequests;
import org.HdrHistogram.Histogram;

/** send_bw: the sending side. */
final class SendBandwidth extends Bandwidth {
    SendBandwidth(StopFlag stop, Endpoint own, Endpoint peer, PerfConfig config, Histogram histogram) {
        super(stop, own, peer, config, histogram);
    }

    @Override
    int post(QueuePair qp, int index, long wrId, int allFlags) {
        return qp.postSend(wrId, addresses[index], size, lkey, allFlags);
    }

    @Override
    void add(SendRequests requests, int index, long wrId, int allFlags) {
        requests.add(wrId, Opcode.SEND, allFlags).sge(addresses[index], size, lkey);
    }
}
