package io.verbena.async.op;

import io.verbena.verbs.WorkCompletion;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Something whose completions a {@link Poller} drives: a connection. Its methods are called by one thread at a time.
 */
public abstract class Driven {
    private static final VarHandle LISTED;

    static {
        try {
            LISTED = MethodHandles.lookup().findVarHandle(Driven.class, "listed", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** The next one that wants a turn. */
    Driven nextWanting;
    private volatile boolean listed;

    /** Makes one that wants nothing. */
    protected Driven() {}

    /**
     * A completion of its queue pair.
     *
     * @param completion valid during the call only, and only until it polls
     */
    protected abstract void onCompletion(WorkCompletion completion);

    /** A turn that it asked for by {@link Poller#wantTurn}. */
    protected abstract void onTurn();

    /**
     * Does what is due.
     *
     * @param now the time, by {@link io.verbena.async.memory.MonotonicClock}
     * @return when something is due next, {@link Operation#NEVER} for nothing
     */
    protected abstract long onDue(long now);

    final boolean list() {
        return !listed && LISTED.compareAndSet(this, false, true);
    }

    final void unlist() {
        listed = false;
    }
}
