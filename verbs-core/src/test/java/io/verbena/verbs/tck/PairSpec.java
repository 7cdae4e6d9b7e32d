package io.verbena.verbs.tck;

import io.verbena.verbs.Mtu;
import io.verbena.verbs.Threading;
import io.verbena.verbs.tck.peer.LinkSpec;
import io.verbena.verbs.tck.peer.QueuePairSpec;

/** Recipe for a pair of queue pairs: the recipes of both sides, and shortcuts for what both have in common. */
final class PairSpec {
    private final QueuePairSpec a = new QueuePairSpec();
    private final QueuePairSpec b = new QueuePairSpec();
    private final LinkSpec linkA = new LinkSpec().psn(0xFF_FFF0);
    private final LinkSpec linkB = new LinkSpec().psn(0x00_1234);

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
