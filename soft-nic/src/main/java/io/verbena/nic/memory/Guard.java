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

    long q0, q1, q2, q3, q4, q5, q6;

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
        return hasEnded(sample, sample());
    }

    /**
     * Whether the data call in flight at a sample has ended.
     *
     * @param sample an earlier value of a guard's word
     * @param now its value now
     * @return true when none was in flight or it has ended
     */
    public static boolean hasEnded(long sample, long now) {
        return (sample & 1) == 0 || now != sample;
    }

    /** Waits until the data call in flight now, if any, has ended. Call {@link Fences#heavy()} before. */
    public void awaitQuiescent() {
        long sample = sample();
        for (int spins = 0; !hasEnded(sample); spins++) {
            pause(spins);
        }
    }

    /**
     * Passes a moment of waiting for a data call to end.
     *
     * @param spins how many moments have passed
     */
    public static void pause(int spins) {
        if (spins < SPINS_BEFORE_PARK) {
            Thread.onSpinWait();
        } else {
            LockSupport.parkNanos(PARK_NS);
        }
    }
}
