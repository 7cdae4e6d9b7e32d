package io.verbena.nic.direct;

import io.verbena.nic.ring.SendLane;
import io.verbena.nic.ring.SendQueue;

/** Works off published entries of a send queue, in bounded portions. */
final class Drain {
    /** Entries executed in one go under one guard. */
    private static final int MAX_STEPS = 32;
    /** How often one call goes on with what others published. */
    private static final int MAX_ROUNDS = 8;

    private final Endpoint self;
    private final SendQueue queue;
    private final SendLane lane;
    private final Executor executor;

    Drain(Endpoint self, SendQueue queue, SendLane lane, Executor executor) {
        this.self = self;
        this.queue = queue;
        this.lane = lane;
        this.executor = executor;
    }

    /** Executes what was published while nobody held the claim; leaves the rest to others after a while. */
    void waiting() {
        for (int rounds = 0; queue.hasNext() && !executor.isStalled() && queue.tryClaim(); rounds++) {
            queue.enterClaimed();
            try {
                published();
                if (rounds == MAX_ROUNDS) {
                    self.progress().register(self);
                }
            } finally {
                queue.exitClaimed();
                queue.unclaim();
            }
            if (rounds == MAX_ROUNDS) {
                return;
            }
        }
    }

    /** Executes some entries. Bounded, so that a post returns and a guard is left however fast others publish. */
    void published() {
        long sequence = queue.next();
        for (int steps = 0; steps < MAX_STEPS && queue.isPublished(sequence); steps++) {
            if (!step(sequence)) {
                self.progress().register(self);
                return;
            }
            queue.done(sequence++);
        }
    }

    private boolean step(long sequence) {
        long completed = lane.produced();
        try {
            return executor.step(queue.entry(sequence), sequence);
        } catch (RuntimeException | Error e) {
            // Nobody else may suffer: the queue pair fails, with a completion unless there was one.
            executor.abandon(queue.entry(sequence), sequence, lane.produced() != completed);
            return true;
        }
    }
}
