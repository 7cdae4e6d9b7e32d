package io.verbena;

import io.verbena.async.memory.MonotonicClock;
import io.verbena.async.op.Driven;
import io.verbena.async.op.Operation;
import io.verbena.verbs.WorkCompletion;

/**
 * Looks for what the device reports by itself, once in a while as long as there are connections: a queue pair that
 * failed without a completion would seem open otherwise.
 */
final class EventWatch extends Driven {
    /** No queue pair has this number of 32 bits. */
    static final int NO_NUMBER = -1;

    private static final long INTERVAL_NANOS = 100_000_000;

    private final RdmaNode node;
    private long next = Operation.NEVER;

    EventWatch(RdmaNode node) {
        this.node = node;
    }

    /** There is a connection; any thread. */
    void begin() {
        node.home().poller().dueBy(MonotonicClock.nanos() + INTERVAL_NANOS);
    }

    @Override
    protected void onCompletion(WorkCompletion completion) {
        throw new AssertionError("a completion of no queue pair: " + completion);
    }

    @Override
    protected void onTurn() {
        // It wants none.
    }

    @Override
    protected long onDue(long now) {
        if (node.connections() == 0) {
            return Operation.NEVER;
        }
        if (next == Operation.NEVER || next <= now) {
            node.drainEvents();
            next = MonotonicClock.end(now, INTERVAL_NANOS);
        }
        return next;
    }
}
