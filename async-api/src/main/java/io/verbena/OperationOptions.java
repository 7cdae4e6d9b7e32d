package io.verbena;

import java.time.Duration;

/**
 * How one operation differs from others. Immutable; make it once and use it for many.
 *
 * @param deadline how long to wait for the result; null for what the connection is configured for
 * @param abortOnDeadline whether a deadline that is over also breaks the connection, which is the only way to be sure
 *     that the operation does not take place later
 * @param fence whether it starts only after all earlier READs and atomics of the connection
 * @param inline whether the bytes are copied while posting, so that the memory may be changed at once; WRITE and raw
 *     sends only, at most {@link QueueConfig#maxInlineBytes()}
 * @param solicited whether it wakes a peer that sleeps until something solicited comes; messages only
 */
public record OperationOptions(
        Duration deadline, boolean abortOnDeadline, boolean fence, boolean inline, boolean solicited) {
    /** Nothing special. */
    public static final OperationOptions DEFAULT = new OperationOptions(null, false, false, false, false);

    /** What a flush is posted with. */
    static final OperationOptions FENCED = DEFAULT.withFence(true);

    /** Checks the deadline. */
    public OperationOptions {
        Checks.duration("deadline", deadline);
    }

    /**
     * The same with a deadline.
     *
     * @param newDeadline more than 0, or null
     * @return a changed copy
     */
    public OperationOptions withDeadline(Duration newDeadline) {
        return new OperationOptions(newDeadline, abortOnDeadline, fence, inline, solicited);
    }

    /**
     * The same with another consequence of a deadline that is over.
     *
     * @param abort whether it breaks the connection
     * @return a changed copy
     */
    public OperationOptions withAbortOnDeadline(boolean abort) {
        return new OperationOptions(deadline, abort, fence, inline, solicited);
    }

    /**
     * The same, waiting for earlier READs and atomics or not.
     *
     * @param wait whether it waits
     * @return a changed copy
     */
    public OperationOptions withFence(boolean wait) {
        return new OperationOptions(deadline, abortOnDeadline, wait, inline, solicited);
    }

    /**
     * The same, copied while posting or not.
     *
     * @param copy whether it is copied
     * @return a changed copy
     */
    public OperationOptions withInline(boolean copy) {
        return new OperationOptions(deadline, abortOnDeadline, fence, copy, solicited);
    }

    /**
     * The same, solicited or not.
     *
     * @param wake whether it wakes
     * @return a changed copy
     */
    public OperationOptions withSolicited(boolean wake) {
        return new OperationOptions(deadline, abortOnDeadline, fence, inline, wake);
    }
}
