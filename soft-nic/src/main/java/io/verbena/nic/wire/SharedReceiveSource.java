package io.verbena.nic.wire;

import io.verbena.nic.ring.SharedQueue;
import io.verbena.rc.ReceiveSource;

/** A queue that many senders draw from as the protocol engine reads it: a handle is the number of a place. */
final class SharedReceiveSource implements ReceiveSource {
    private final SharedQueue queue;

    SharedReceiveSource(SharedQueue queue) {
        this.queue = queue;
    }

    @Override
    public boolean hasReceive() {
        return queue.hasPosted();
    }

    @Override
    public long available() {
        return -1;
    }

    @Override
    public long take() {
        int id = queue.take();
        return id >= 0 ? id : NONE;
    }

    @Override
    public long takeFitting(long bytes) {
        int id = queue.takeFitting(bytes);
        return id >= 0 ? id : id == SharedQueue.TOO_SHORT ? TOO_SHORT : NONE;
    }

    @Override
    public long totalBytes(long receive) {
        return queue.totalBytes((int) receive);
    }

    @Override
    public int bufferCount(long receive) {
        return queue.bufferCount((int) receive);
    }

    @Override
    public long buffers(long receive) {
        return queue.firstBuffer((int) receive);
    }
}
