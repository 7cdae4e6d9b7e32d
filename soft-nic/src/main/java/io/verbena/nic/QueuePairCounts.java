package io.verbena.nic;

import io.verbena.nic.ring.ReceiveLane;
import io.verbena.nic.ring.SendLane;
import io.verbena.nic.ring.SendQueue;
import io.verbena.verbs.QueuePairSnapshot;

/** Reads the counters of a queue pair's rings; called with the control lock held. */
final class QueuePairCounts {
    private QueuePairCounts() {}

    /** What the rings tell now. */
    static QueuePairSnapshot of(SendQueue sends, SendLane sendLane, ReceiveLane receives) {
        // What comes later in a work request's life is read first, so that no stage is ahead of the one before.
        long receivesPolled = receives.taken();
        long receivesCompleted = receives.completed();
        long sendsPolled = sendLane.taken();
        long sendCompletions = sendLane.added();
        long sendsExecuted = sends.executed();
        return new QueuePairSnapshot(sends.posted(), sendsExecuted, sendCompletions, sendsPolled,
                receives.posted(), receivesCompleted, receivesPolled);
    }
}
