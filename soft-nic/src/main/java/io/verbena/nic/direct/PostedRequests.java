package io.verbena.nic.direct;

import io.verbena.nic.ring.SendLane;
import io.verbena.nic.ring.SendQueue;
import io.verbena.verbs.WcStatus;

/** The requests posted on an endpoint, as its {@link Outlet} sees them; by the holder of the progress role. */
public final class PostedRequests {
    private final Endpoint of;
    /** Made with the first request that needs it. */
    private WindowOps windows;

    /**
     * Makes the view of an endpoint's requests.
     *
     * @param of whose requests
     */
    public PostedRequests(Endpoint of) {
        this.of = of;
    }

    /** Where they are. */
    public SendQueue queue() {
        return of.requester().queue;
    }

    /** Where their completions go. */
    public SendLane lane() {
        return of.requester().lane;
    }

    /** Whether every one completes. */
    public boolean signalsAll() {
        return of.requester().rules().signalAll();
    }

    /** Where a datagram goes. */
    public Route route(long sequence) {
        return of.requester().executor.datagrams().route(sequence);
    }

    /**
     * Executes a LOCAL_INV or BIND_MW.
     *
     * @param wqe its entry
     * @return a code of {@link WcStatus}
     */
    public int executeLocal(long wqe) {
        if (windows == null) {
            windows = new WindowOps(of, null);
        }
        int status = windows.execute(wqe);
        if (status != Outcome.PENDING) {
            return status;
        }
        windows.drop(); // nobody is waited for here, so the queue pair was reset meanwhile
        return WcStatus.WR_FLUSH_ERR.code();
    }
}
