package io.verbena.bench;

import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.WorkCompletion;

/** One end of {@link RcPingpong}, step by step as in ibv_rc_pingpong. */
final class RcPingpongSide extends Side {
    private static final int RECV = 1;
    private static final int SEND = 2;

    private final QueuePair qp;
    private final Waiter completions;
    private final boolean begins;
    private final long outgoing;
    private final long incoming;
    private final long size;
    private final int lkey;
    private final int rxDepth;
    private int posted;
    private long sent;
    private long received;
    private int pending;

    RcPingpongSide(StopFlag stop, Endpoint end, RcPingpong.Config config, boolean begins) {
        super(stop);
        this.begins = begins;
        qp = end.qp(0);
        completions = end.receives(0, stop);
        size = config.size();
        rxDepth = config.rxDepth();
        outgoing = end.region().address();
        incoming = outgoing + Rig.stride(size);
        lkey = end.region().lkey();
        refill();
    }

    @Override
    public void run(long count) {
        sent = 0;
        received = 0;
        pending = RECV;
        if (begins) {
            send();
        }
        while (sent < count || received < count) {
            step(count);
        }
    }

    private void step(long count) {
        for (int i = 0; i < BATCH && (sent < count || received < count); i++) {
            WorkCompletion completion = completions.take();
            int done = (int) completion.wrId();
            if (done == SEND) {
                sent++;
            } else {
                received++;
                if (--posted <= 1) {
                    refill();
                }
            }
            pending &= ~done;
            if (sent < count && pending == 0) {
                send();
            }
        }
    }

    private void send() {
        int status = qp.postSend(SEND, outgoing, size, lkey, SendFlags.SIGNALED);
        if (status != PostStatus.OK) {
            throw PerfException.refused("a SEND", status);
        }
        pending = RECV | SEND;
    }

    private void refill() {
        for (; posted < rxDepth; posted++) {
            int status = qp.postReceive(RECV, incoming, size, lkey);
            if (status != PostStatus.OK) {
                throw PerfException.refused("a receive", status);
            }
        }
    }
}
