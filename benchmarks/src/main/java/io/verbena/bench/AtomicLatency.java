package io.verbena.bench;

import io.verbena.verbs.Opcode;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.SendRequests;
import org.HdrHistogram.Histogram;

/** atomic_lat and atomic_comp_lat: atomics on one counter of the peer, one after another. */
final class AtomicLatency extends CompletionLatency {
    private final SendRequests swap;

    AtomicLatency(StopFlag stop, Endpoint own, PeerMemory peer, AtomicType type, int group, Histogram histogram) {
        super(stop, own, peer, Long.BYTES, group, histogram);
        swap = type == AtomicType.CMP_AND_SWAP ? new SendRequests(1, 1) : null;
        if (swap != null) {
            swap.add(0, Opcode.ATOMIC_CMP_AND_SWP, SendFlags.SIGNALED).sge(address, size, lkey)
                    .remote(remoteAddress, rkey).compareAndSwap(0, 0);
        }
    }

    @Override
    int post(QueuePair to) {
        if (swap != null) {
            return to.postSend(swap);
        }
        return to.postFetchAndAdd(0, address, lkey, remoteAddress, rkey, 1, SendFlags.SIGNALED);
    }
}
