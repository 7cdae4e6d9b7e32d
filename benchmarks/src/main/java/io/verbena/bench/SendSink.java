package io.verbena.bench;

import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.WorkCompletion;
import java.util.Arrays;

/** send_bw: the receiving side, which posts every receive again as soon as it has completed. */
final class SendSink extends Side {
    private static final int POLL_BATCH = 16;

    private final Endpoint own;
    private final Credits credits;
    private final long[] addresses;
    private final long room;
    private final CompletionQueue queue;
    private final Waiter waiter;
    private final boolean sleeps;
    private final WorkCompletion[] completions = new WorkCompletion[POLL_BATCH];

    SendSink(StopFlag stop, Endpoint own, PerfConfig config, Credits credits) {
        super(stop);
        this.own = own;
        this.credits = credits;
        room = config.size() + own.headerBytes();
        addresses = new long[own.qps()];
        queue = own.qp(0).recvCq();
        waiter = own.receives(0, stop);
        sleeps = own.channel() != null;
        Arrays.setAll(completions, i -> new WorkCompletion());
        for (int i = 0; i < addresses.length; i++) {
            addresses[i] = own.region().address() + i * Rig.stride(room);
            for (int j = 0; j < config.queues().rxDepth(); j++) {
                postReceive(i);
            }
        }
    }

    @Override
    public void run(long count) {
        long left = count;
        int idle = 0;
        while (left > 0) {
            int taken = drain();
            left -= taken;
            if (taken > 0) {
                idle = 0;
            } else if (sleeps) {
                take(waiter.take());
                left--;
            } else if (++idle == PATIENCE) {
                idle = giveWay();
            }
        }
    }

    private int drain() {
        int polled = queue.poll(completions);
        if (polled < 0) {
            throw PerfException.failed(polled, completions[0]);
        }
        for (int i = 0; i < polled; i++) {
            take(completions[i]);
        }
        return polled;
    }

    private void take(WorkCompletion completion) {
        if (completion.statusCode() != 0) {
            throw PerfException.failed(1, completion);
        }
        int index = (int) completion.wrId();
        postReceive(index);
        credits.took(index);
    }

    private void postReceive(int index) {
        int status = own.postReceive(index, index, addresses[index], room);
        if (status != PostStatus.OK) {
            throw PerfException.refused("a receive", status);
        }
    }
}
