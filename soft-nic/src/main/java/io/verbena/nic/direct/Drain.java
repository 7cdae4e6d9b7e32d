package io.verbena.nic.direct;

import io.verbena.nic.ring.SendQueue;

/** Works off published entries of a requester's send queue, in bounded portions. */
final class Drain {
    /** Entries executed in one go under one guard. */
    private static final int MAX_STEPS = 32;
    /** How often one call goes on with what others published. */
    private static final int MAX_ROUNDS = 8;

    private Drain() {}

    /** Executes what was published while nobody held the claim; leaves the rest to others after a while. */
    static void waiting(Requester of) {
        SendQueue queue = of.queue;
        for (int rounds = 0; queue.hasNext() && !of.executor.isStalled() && queue.tryClaim(); rounds++) {
            of.enterClaimed();
            try {
                published(of);
            } finally {
                of.exitClaimed();
                queue.unclaim();
            }
            if (rounds == MAX_ROUNDS) {
                // After the claim is given up: whoever drives progress before that could do nothing, and would forget.
                of.self.progress().register(of.self);
                return;
            }
        }
    }

    /** Executes some entries. Bounded, so that a post returns and a guard is left however fast others publish. */
    static void published(Requester of) {
        SendQueue queue = of.queue;
        long sequence = queue.next();
        for (int steps = 0; steps < MAX_STEPS && queue.isPublished(sequence); steps++) {
            if (!step(of, sequence)) {
                of.self.progress().register(of.self);
                return;
            }
            queue.done(sequence++);
        }
    }

    private static boolean step(Requester of, long sequence) {
        long completed = of.lane.produced();
        try {
            return of.executor.step(of.queue.entry(sequence), sequence);
        } catch (RuntimeException | Error e) {
            // Nobody else may suffer: the queue pair fails, with a completion unless there was one.
            of.executor.abandon(of.queue.entry(sequence), sequence, of.lane.produced() != completed);
            return true;
        }
    }
}
