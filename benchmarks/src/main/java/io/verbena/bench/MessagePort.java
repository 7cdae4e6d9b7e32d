package io.verbena.bench;

import io.verbena.verbs.Destination;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePair;

/**
 * What one side of a SEND ping-pong works with: a queue pair with receives posted, where messages leave from and
 * where they arrive. Plain fields, because the loops read them all the time.
 */
final class MessagePort {
    /** Receives to keep posted: the one in use and spare ones, so that posting the next is never urgent. */
    static final int RECEIVES = 64;
    /** Room for the sends between two signalled ones: one in 64, or more often where there is less room. */
    static final int SENDS = 128;

    final QueuePair qp;
    final Waiter receives;
    final long outgoing;
    final long size;
    final int lkey;
    final int flags;
    /** Where datagrams go; null for a connection. */
    final Destination to;
    /** The bits that the number of a signalled send does not have. */
    final int signalMask;

    private final Waiter sends;
    private final long incoming;
    private final long room;
    private final Endpoint endpoint;
    private final int index;

    /** Posts the receives, for one more of which there must be room; buffers: outgoing at 0, incoming at stride. */
    MessagePort(Endpoint endpoint, int index, long size, int postedReceives, int flags, StopFlag stop) {
        qp = endpoint.qp(index);
        to = endpoint.destination(index);
        this.endpoint = endpoint;
        this.index = index;
        receives = endpoint.receives(index, stop);
        sends = qp.sendCq() == qp.recvCq() ? null : endpoint.sends(index, stop);
        outgoing = endpoint.region().address();
        incoming = outgoing + Rig.stride(size);
        lkey = endpoint.region().lkey();
        this.size = size;
        room = size + endpoint.headerBytes();
        this.flags = flags;
        signalMask = Integer.highestOneBit(Math.clamp(qp.capabilities().maxSendWr() / 2, 1, SENDS / 2)) - 1;
        for (int i = 0; i < postedReceives; i++) {
            postReceive();
        }
    }

    /** Sends the message. */
    void send(int allFlags) {
        int status = to == null
                ? qp.postSend(0, outgoing, size, lkey, allFlags)
                : qp.postSend(0, outgoing, size, lkey, to, allFlags);
        if (status != PostStatus.OK) {
            throw PerfException.refused("a SEND", status);
        }
    }

    void postReceive() {
        int status = endpoint.postReceive(index, 0, incoming, room);
        if (status != PostStatus.OK) {
            throw PerfException.refused("a receive", status);
        }
    }

    /** Takes the completion of a signalled send, unless the receive side's queue brings it along. */
    void reclaim() {
        if (sends != null) {
            sends.take();
        }
    }
}
