package io.verbena.bench;

import io.verbena.verbs.Opcode;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.SendRequests;
import org.HdrHistogram.Histogram;

/** atomic_bw: atomics on one counter of the peer for each queue pair. */
final class AtomicBandwidth extends Bandwidth {
    private final boolean swaps;
    private final SendRequests one = new SendRequests(1, 1);

    AtomicBandwidth(StopFlag stop, Endpoint own, PeerMemory peer, PerfConfig config, Histogram histogram) {
        super(stop, own, peer, config, histogram);
        swaps = config.style().atomic() == AtomicType.CMP_AND_SWAP;
    }

    @Override
    int post(QueuePair qp, int index, long wrId, int allFlags) {
        if (swaps) {
            add(one.clear(), index, wrId, allFlags);
            return qp.postSend(one);
        }
        return qp.postFetchAndAdd(wrId, addresses[index], lkey, remoteAddresses[index], rkey, 1, allFlags);
    }

    @Override
    void add(SendRequests requests, int index, long wrId, int allFlags) {
        Opcode opcode = swaps ? Opcode.ATOMIC_CMP_AND_SWP : Opcode.ATOMIC_FETCH_AND_ADD;
        requests.add(wrId, opcode, allFlags).sge(addresses[index], size, lkey).remote(remoteAddresses[index], rkey);
        if (swaps) {
            requests.compareAndSwap(0, 0);
        } else {
            requests.fetchAndAdd(1);
        }
    }
}
