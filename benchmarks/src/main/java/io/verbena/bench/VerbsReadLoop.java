package io.verbena.bench;

import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.WorkCompletion;

/** Signalled READs by verbs: post and poll. */
final class VerbsReadLoop extends ReadLoop {
    private final WorkCompletion completion = new WorkCompletion();
    private final QueuePair qp;
    private final CompletionQueue queue;
    private final long size;
    private final long address;
    private final int lkey;
    private final long remoteAddress;
    private final int rkey;

    VerbsReadLoop(Endpoint own, Endpoint peer, long size) {
        this.size = size;
        qp = own.qp(0);
        queue = qp.sendCq();
        address = own.region().address();
        lkey = own.region().lkey();
        remoteAddress = peer.region().address();
        rkey = peer.region().rkey();
    }

    @Override
    void group(int count) {
        for (int i = 0; i < count; i++) {
            int status = qp.postRead(0, address, size, lkey, remoteAddress, rkey, SendFlags.SIGNALED);
            if (status != PostStatus.OK) {
                throw PerfException.refused("a READ", status);
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
