package io.verbena.verbs.tck;

import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Mtu;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.RouteHeader;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.Threading;
import io.verbena.verbs.tck.peer.LinkSpec;
import io.verbena.verbs.tck.peer.QueuePairSpec;

/** Recipe for a pair of queue pairs: the recipes of both sides, and shortcuts for what both have in common. */
final class PairSpec {
    private final QueuePairSpec a = new QueuePairSpec();
    private final QueuePairSpec b = new QueuePairSpec();
    private final LinkSpec linkA = new LinkSpec().psn(0xFF_FFF0);
    private final LinkSpec linkB = new LinkSpec().psn(0x00_1234);

    private SharedReceiveQueue srq;
    private CompletionQueue recvCq;
    private int remoteSrq = -1;
    private int remoteRecvCq = -1;

    PairSpec type(QueuePairType type) {
        a.type(type);
        b.type(type);
        return this;
    }

    /** A draws from a shared receive queue. */
    PairSpec srq(SharedReceiveQueue queue) {
        srq = queue;
        return this;
    }

    /** A's receives complete in a queue made before. */
    PairSpec recvCq(CompletionQueue queue) {
        recvCq = queue;
        return this;
    }

    /** B draws from a shared receive queue. */
    PairSpec remoteSrq(RemoteSrq queue) {
        remoteSrq = queue.handle();
        return this;
    }

    /** B's receives complete in a queue made before. */
    PairSpec remoteRecvCq(int handle) {
        remoteRecvCq = handle;
        return this;
    }

    SharedReceiveQueue srq() {
        return srq;
    }

    CompletionQueue recvCq() {
        return recvCq;
    }

    int remoteSrq() {
        return remoteSrq;
    }

    int remoteRecvCq() {
        return remoteRecvCq;
    }

    /** Bytes before every message received. */
    int header() {
        return a.type() == QueuePairType.UD ? RouteHeader.BYTES : 0;
    }

    PairSpec mtu(Mtu mtu) {
        linkA.mtu(mtu);
        linkB.mtu(mtu);
        return this;
    }

    PairSpec threading(Threading threading) {
        a.threading(threading);
        b.threading(threading);
        return this;
    }

    PairSpec depth(int workRequests) {
        a.depth(workRequests, workRequests).cqe(2 * workRequests, 2 * workRequests);
        b.depth(workRequests, workRequests).cqe(2 * workRequests, 2 * workRequests);
        return this;
    }

    PairSpec maxSge(int entries) {
        a.maxSge(entries);
        b.maxSge(entries);
        return this;
    }

    PairSpec events() {
        a.events();
        b.events();
        return this;
    }

    /** A's timeout and retries, short enough to wait for RETRY_EXC_ERR. */
    PairSpec quickRetry() {
        linkA.retry(10, 2);
        linkB.retry(10, 2);
        return this;
    }

    QueuePairSpec a() {
        return a;
    }

    QueuePairSpec b() {
        return b;
    }

    LinkSpec linkA() {
        return linkA;
    }

    LinkSpec linkB() {
        return linkB;
    }
}
