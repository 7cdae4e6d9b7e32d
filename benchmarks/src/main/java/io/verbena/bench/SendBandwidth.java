package io.verbena.bench;

import io.verbena.verbs.Destination;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.SendRequests;
import org.HdrHistogram.Histogram;

/** send_bw: the sending side. Over a service that loses what comes too fast it sends no more than can be taken. */
final class SendBandwidth extends Bandwidth {
    private final Destination[] to;
    private final Credits credits;
    private final boolean lossy;
    private final long[] sent;
    private long sentInAll;

    SendBandwidth(StopFlag stop, Endpoint own, PeerMemory peer, PerfConfig config, Histogram histogram,
            Credits credits) {
        super(stop, own, peer, config, histogram);
        this.credits = credits;
        lossy = config.path().transport().isLossy();
        sent = new long[own.qps()];
        to = new Destination[own.qps()];
        for (int i = 0; i < to.length; i++) {
            to[i] = own.destination(i);
        }
    }

    @Override
    int post(QueuePair qp, int index, long wrId, int allFlags) {
        return to[index] == null ? qp.postSend(wrId, addresses[index], size, lkey, allFlags)
                : qp.postSend(wrId, addresses[index], size, lkey, to[index], allFlags);
    }

    @Override
    void add(SendRequests requests, int index, long wrId, int allFlags) {
        requests.add(wrId, Opcode.SEND, allFlags).sge(addresses[index], size, lkey);
        if (to[index] != null) {
            requests.to(to[index].handle(), to[index].qpNum(), to[index].qkey());
        }
    }

    @Override
    long allowed(int index, long wanted) {
        if (!lossy) {
            return wanted;
        }
        long before = credits.isShared() ? sentInAll : sent[index];
        return Math.clamp(credits.window() - (before - credits.taken(index)), 0, wanted);
    }

    @Override
    void sent(int index, long count) {
        sent[index] += count;
        sentInAll += count;
    }
}
