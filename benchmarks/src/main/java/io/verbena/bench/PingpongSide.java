package io.verbena.bench;

import io.verbena.verbs.Destination;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.WorkCompletion;

/** One end of {@link Pingpong}, step by step as in ibv_rc_pingpong, and in ibv_srq_pingpong for many queue pairs. */
final class PingpongSide extends Side {
    private static final int RECV = 1;
    private static final int SEND = 2;

    private final Endpoint end;
    private final QueuePair[] qps;
    private final int[] pending;
    private final Waiter completions;
    private final boolean begins;
    private final long outgoing;
    private final long incoming;
    private final long size;
    private final long room;
    private final int lkey;
    private final int rxDepth;
    private final int least;
    private final boolean shared;
    private final int[] posted;
    private long sent;
    private long received;

    PingpongSide(StopFlag stop, Endpoint end, Pingpong.Config config, boolean begins) {
        super(stop);
        this.end = end;
        this.begins = begins;
        completions = end.receives(0, stop).telling(this::state);
        size = config.size();
        room = config.room();
        shared = config.path().transport().srq();
        rxDepth = config.rxDepth();
        // Every queue pair may have a message coming; as many receives must be left when the next ones are posted.
        least = shared ? config.qps() : 1;
        outgoing = end.region().address();
        incoming = outgoing + Rig.stride(room);
        lkey = end.region().lkey();
        qps = new QueuePair[config.qps()];
        pending = new int[qps.length];
        posted = new int[shared ? 1 : qps.length];
        for (int i = 0; i < qps.length; i++) {
            qps[i] = end.qp(i);
            refill(i);
        }
    }

    @Override
    public void run(long count) {
        sent = 0;
        received = 0;
        long started = 0;
        for (int i = 0; i < qps.length; i++) {
            pending[i] = RECV;
            if (begins && started < count) {
                send(i);
                started++;
            }
        }
        while (sent < count || received < count) {
            step(count);
        }
    }

    private void step(long count) {
        for (int i = 0; i < BATCH && (sent < count || received < count); i++) {
            WorkCompletion completion = completions.take();
            int index = indexOf(completion.qpNum());
            int done = (int) completion.wrId();
            if (done == SEND) {
                sent++;
            } else {
                received++;
                refillIfShort(index);
            }
            pending[index] &= ~done;
            if (pending[index] == 0 && mayBegin(count)) {
                send(index);
            }
        }
    }

    /** Whether the sends under way and done are still fewer than those wanted. */
    private boolean mayBegin(long count) {
        long under = 0;
        for (int state : pending) {
            under += (state & SEND) != 0 ? 1 : 0;
        }
        return sent + under < count;
    }

    private String state() {
        return ", after " + sent + " messages to it and " + received + " from it";
    }

    private int indexOf(int qpNum) {
        for (int i = 0; i < qps.length; i++) {
            if (qps[i].qpNum() == qpNum) {
                return i;
            }
        }
        throw new PerfException("a completion of queue pair " + qpNum + ", which is none of this end's");
    }

    private void send(int index) {
        Destination to = end.destination(index);
        int status = to == null
                ? qps[index].postSend(SEND, outgoing, size, lkey, SendFlags.SIGNALED)
                : qps[index].postSend(SEND, outgoing, size, lkey, to, SendFlags.SIGNALED);
        if (status != PostStatus.OK) {
            throw PerfException.refused("a SEND", status);
        }
        pending[index] = RECV | SEND;
    }

    private void refillIfShort(int index) {
        if (--posted[shared ? 0 : index] <= least) {
            refill(index);
        }
    }

    private void refill(int index) {
        int queue = shared ? 0 : index;
        for (; posted[queue] < rxDepth; posted[queue]++) {
            int status = end.postReceive(index, RECV, incoming, room);
            if (status != PostStatus.OK) {
                throw PerfException.refused("a receive", status);
            }
        }
    }
}
