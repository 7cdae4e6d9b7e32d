package io.verbena.bench;

import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.WorkCompletion;

/**
 * Signalled WRITEs on a single-threaded queue pair, post and poll, one after another. {@link SafeWriteCostLoop} is
 * the same code for a thread-safe one: two classes, so that the compiler sees one kind of queue pair in each.
 */
final class WriteCostLoop {
    private static final int BATCH = 128;

    private final WorkCompletion completion = new WorkCompletion();
    private final QueuePair qp;
    private final CompletionQueue queue;
    private final long size;
    private final long address;
    private final int lkey;
    private final long remoteAddress;
    private final int rkey;

    WriteCostLoop(Endpoint own, Endpoint peer, long size) {
        this.size = size;
        qp = own.qp(0);
        queue = qp.sendCq();
        address = own.region().address();
        lkey = own.region().lkey();
        remoteAddress = peer.region().address();
        rkey = peer.region().rkey();
    }

    void run(int operations) {
        for (int left = operations; left > 0; left -= BATCH) {
            batch(Math.min(left, BATCH));
        }
    }

    private void batch(int count) {
        for (int i = 0; i < count; i++) {
            int status = qp.postWrite(0, address, size, lkey, remoteAddress, rkey, SendFlags.SIGNALED);
            if (status != PostStatus.OK) {
                throw PerfException.refused("a WRITE", status);
            }
            int polled;
            do {
                polled = queue.poll(completion);
            } while (polled == 0);
            if (polled != 1 || completion.statusCode() != 0) {
                throw PerfException.failed(polled, completion);
            }
        }
    }
}
