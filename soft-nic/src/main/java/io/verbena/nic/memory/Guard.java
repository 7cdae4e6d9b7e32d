package io.verbena.nic.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * Tells control calls whether a data call is in flight. One thread at a time enters and exits; any thread may wait.
 *
 * <p>The protocol: a data call enters, then reads what control calls may revoke, uses it, and exits. A control call
 * revokes, calls {@link Fences#heavy()}, then {@link #awaitQuiescent()}: afterwards no data call uses what was revoked.
 */
public final class Guard extends GuardWord {
    private static final VarHandle WORD;
    private static final int SPINS_BEFORE_PARK = 10_000;
    private static final long PARK_NS = 50_000;

    long q00, q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14;

    static {
        try {
            WORD = MethodHandles.lookup().findVarHandle(GuardWord.class, "word", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Announces a data call. */
    public void enter() {
        WORD.setOpaque(this, word + 1);
        Fences.light();
    }

    /** Ends the data call announced last. */
    public void exit() {
        WORD.setRelease(this, word + 1);
    }

    /**
     * The word now: odd while a data call is in flight. Call {@link Fences#heavy()} before.
     *
     * @return a value to compare with a later one
     */
    public long sample() {
        return (long) WORD.getAcquire(this);
    }

    /**
     * Whether the data call in flight at a sample has ended.
     *
     * @param sample what {@link #sample()} returned
     * @return true when none was in flight or it has ended
     */
    public boolean hasEnded(long sample) {
        return (sample & 1) == 0 || (long) WORD.getAcquire(this) != sample;
    }

    /** Waits until the data call in flight now, if any, has ended. Call {@link Fences#heavy()} before. */
    public void awaitQuiescent() {
        long sample = sample();
        for (int spins = 0; !hasEnded(sample); spins++) {
            if (spins < SPINS_BEFORE_PARK) {
                Thread.onSpinWait();
            } else {
                LockSupport.parkNanos(PARK_NS);
            }
        }
    }
}
