package io.verbena.nic.wire;

import io.verbena.nic.ring.ReceiveLane;
import io.verbena.nic.ring.ReceiveQueue;
import io.verbena.rc.ReceiveSource;

/** The receive queue of a connection as the protocol engine reads it: a handle is the receive's index. */
final class OwnReceives implements ReceiveSource {
    private final ReceiveQueue queue;
    private final ReceiveLane lane;
    private long taken;

    OwnReceives(ReceiveQueue queue, ReceiveLane lane) {
        this.queue = queue;
        this.lane = lane;
    }

    /** Takes the next receive next that has no completion. */
    void restart() {
        taken = lane.nextIndex();
    }

    @Override
    public boolean hasReceive() {
        return available() > 0;
    }

    @Override
    public long available() {
        return ReceiveQueue.postedOf(queue.offered()) - taken;
    }

    @Override
    public long take() {
        return hasReceive() ? taken++ : NONE;
    }

    @Override
    public long takeFitting(long bytes) {
        return !hasReceive() ? NONE : bytes > queue.totalBytes(taken) ? TOO_SHORT : taken++;
    }

    @Override
    public long totalBytes(long receive) {
        return queue.totalBytes(receive);
    }

    @Override
    public int bufferCount(long receive) {
        return queue.bufferCount(receive);
    }

    @Override
    public long buffers(long receive) {
        return queue.buffer(receive, 0);
    }
}
