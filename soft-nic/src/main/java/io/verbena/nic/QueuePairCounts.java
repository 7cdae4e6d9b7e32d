package io.verbena.nic;

import io.verbena.nic.direct.SharedReceives;
import io.verbena.nic.ring.ReceiveLane;
import io.verbena.nic.ring.SendLane;
import io.verbena.nic.ring.SendQueue;
import io.verbena.verbs.QueuePairSnapshot;

/** Reads the counters of a queue pair's rings; called with the control lock held. */
final class QueuePairCounts {
    private QueuePairCounts() {}

    /** What the rings tell now; shared is null unless receives come from a queue that many senders draw from. */
    static QueuePairSnapshot of(SendQueue sends, SendLane sendLane, ReceiveLane receives, SharedReceives shared) {
        // What comes later in a work request's life is read first, so that no stage is ahead of the one before.
        boolean own = shared != null && shared.own();
        long dropped = own ? shared.queue().dropped() : 0;
        long receivesPolled = own ? shared.lane().taken() + dropped : receives.taken();
        long receivesCompleted = own ? shared.lane().added() + dropped : receives.completed();
        long sendsPolled = sendLane.taken();
        long sendCompletions = sendLane.added();
        long sendsExecuted = sends.executed();
        return new QueuePairSnapshot(sends.posted(), sendsExecuted, sendCompletions, sendsPolled,
                own ? shared.queue().postedSoFar() : receives.posted(), receivesCompleted, receivesPolled);
    }
}
