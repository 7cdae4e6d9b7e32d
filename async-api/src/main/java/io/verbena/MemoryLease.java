package io.verbena;

import io.verbena.async.memory.Grant;
import io.verbena.async.memory.MonotonicClock;
import java.time.Duration;

/**
 * Memory of this node that peers may reach: until its duration is over, or until it, or the memory, is closed. Its end
 * takes the key away: a later access ends in REM_ACCESS_ERR, touches nothing, and breaks the peer's connection, as RDMA
 * has it; so peers look at {@link RemoteMemory#isExpired} first. The memory is not given to anybody else before. Safe
 * from any thread.
 */
public final class MemoryLease implements AutoCloseable {
    private final LocalMemory memory;
    private final Grant grant;
    private final long id;

    MemoryLease(LocalMemory memory, Grant grant, long id) {
        this.memory = memory;
        this.grant = grant;
        this.id = id;
    }

    static long nanos(Duration duration) {
        if (duration == null || duration.isNegative() || duration.isZero()) {
            throw new IllegalArgumentException("duration is " + duration + "; allowed: more than 0");
        }
        try {
            return duration.toNanos();
        } catch (ArithmeticException e) {
            return MonotonicClock.NEVER;
        }
    }

    /**
     * The memory that is lent.
     *
     * @return what was exposed
     */
    public LocalMemory memory() {
        return memory;
    }

    /**
     * What peers may do.
     *
     * @return remote bits of {@link io.verbena.verbs.Access}
     */
    public int rights() {
        return grant.rights();
    }

    /**
     * What a peer needs to reach it, with what is left of the duration now.
     *
     * @return to be sent to a peer, by {@link RemoteMemory#toBytes} for example
     */
    public RemoteMemory remote() {
        return new RemoteMemory(grant.address(), grant.length(), grant.rkey(), grant.rights(), grant.deadline(), id);
    }

    /** What to do once a peer has confirmed a token that is made from now on: the peer counts from its arrival. */
    Runnable onConfirmed() {
        long end = grant.deadline();
        if (end == MonotonicClock.NEVER) {
            return () -> { };
        }
        long left = Math.max(0, end - MonotonicClock.nanos());
        return () -> {
            if (grant.deadline() == end) {
                grant.renew(MonotonicClock.end(MonotonicClock.nanos(), left));
            }
        };
    }

    /** The number by which the peer asks for its end or renewal; 0 when it can't. */
    long id() {
        return id;
    }

    /**
     * Whether peers reach it.
     *
     * @return false once it has ended
     */
    public boolean isActive() {
        return grant.isActive();
    }

    /**
     * How long it lasts.
     *
     * @return what is left, 0 once it has ended; {@link Long#MAX_VALUE} nanoseconds, 292 years, when it has no end
     */
    public Duration remaining() {
        return isActive() ? RemoteMemory.remaining(grant.deadline()) : Duration.ZERO;
    }

    /**
     * Lets it last for a duration from now, longer or shorter than it would have.
     *
     * @param duration more than 0
     * @return false when it has ended, which nothing undoes; expose the memory again then
     * @throws IllegalArgumentException when the duration is not allowed
     */
    public boolean renew(Duration duration) {
        return grant.renew(MonotonicClock.end(MonotonicClock.nanos(), nanos(duration)));
    }

    /**
     * Ends it now: when this returns no peer reaches the memory by this lease. Waits for accesses that have begun, so
     * not in a handler of completions. Closing twice does nothing.
     */
    @Override
    public void close() {
        grant.revoke();
    }

    @Override
    public String toString() {
        return "lease of " + memory + (isActive() ? " for " + remaining() : ", ended");
    }
}
