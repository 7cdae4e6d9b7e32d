package io.verbena.bench;

import io.verbena.verbs.CompletionChannel;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.WorkCompletion;
import java.util.function.Supplier;

/**
 * Takes completions from one queue, one at a time: by spinning, or by sleeping in a completion channel. Used by one
 * thread.
 */
public final class Waiter {
    private static final long CHECK_INTERVAL_NS = 100_000_000;
    /** Looks of one poll: enough to notice a message at once, few enough to count as one poll. */
    private static final int LOOKS = 4;

    private final CompletionQueue queue;
    private final CompletionChannel channel;
    private final StopFlag stop;
    private final Patience patience;
    private Supplier<String> state = () -> "";
    /** Made by the thread that waits, so that it does not share a cache line with another thread's. */
    private WorkCompletion completion;

    /**
     * Makes a waiter.
     *
     * @param queue where completions come from
     * @param channel where to sleep; null to spin
     * @param stop ends the wait when another thread fails
     * @param patience how long one wait may last
     */
    Waiter(CompletionQueue queue, CompletionChannel channel, StopFlag stop, Patience patience) {
        this.queue = queue;
        this.channel = channel;
        this.stop = stop;
        this.patience = patience;
    }

    /** Has a wait that is given up say how far the test was. */
    Waiter telling(Supplier<String> newState) {
        state = newState;
        return this;
    }

    /**
     * Waits for the next completion and expects it to be a success.
     *
     * @return the completion, valid until the next call
     * @throws PerfException when it is a failure, the queue is unusable, or none comes for too long
     */
    public WorkCompletion take() {
        WorkCompletion taken = takeAny();
        if (taken.statusCode() != 0) {
            throw PerfException.failed(1, taken);
        }
        return taken;
    }

    /**
     * Waits for the next completion, whatever its status.
     *
     * @return the completion, valid until the next call
     * @throws PerfException when the queue is unusable, or none comes for too long
     */
    public WorkCompletion takeAny() {
        WorkCompletion mine = completion == null ? completion = new WorkCompletion() : completion;
        CompletionQueue from = queue;
        int polled;
        int idle = 0;
        long since = 0;
        boolean armed = false;
        while ((polled = from.poll(mine, LOOKS)) == 0) {
            if (channel != null) {
                armed = sleep(armed);
                since = patience.check(since, state);
            } else if (++idle == Side.PATIENCE) {
                stop.check();
                since = patience.check(since, state);
                Thread.yield();
                idle = 0;
            }
        }
        if (polled < 0) {
            throw PerfException.failed(polled, mine);
        }
        return mine;
    }

    /** Waits for the next receive and passes over completed sends. */
    WorkCompletion takeReceive() {
        WorkCompletion taken;
        do {
            taken = take();
        } while ((taken.opcodeCode() & 128) == 0);
        return taken;
    }

    /** Arms the queue and lets the caller look again; when armed already, waits for an event of the channel. */
    private boolean sleep(boolean armed) {
        if (!armed) {
            int status = queue.arm(false);
            if (status != 0) {
                throw PerfException.refused("arming the completion queue", status);
            }
            return true; // a completion may have come before arming: the caller polls once more
        }
        CompletionQueue reported = channel.get(CHECK_INTERVAL_NS);
        if (reported == null) {
            stop.check();
        } else {
            reported.acknowledge(1);
        }
        return false;
    }
}
