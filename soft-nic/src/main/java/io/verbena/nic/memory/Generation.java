package io.verbena.nic.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * One number that changes whenever anything that data calls remember may no longer be used: a key, a queue pair's
 * state, a connection. Data calls compare it once, inside their {@link Guard}; it changes rarely, so every core keeps
 * it in its cache.
 */
public final class Generation extends GuardWord {
    private static final VarHandle WORD;

    private final Roster roster = new Roster();

    long q00, q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14;

    static {
        try {
            WORD = MethodHandles.lookup().findVarHandle(GuardWord.class, "word", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /**
     * The number now.
     *
     * @return 0 or more
     */
    public long get() {
        return (long) WORD.getAcquire(this);
    }

    /**
     * Those whose data calls have looked at the number lately.
     *
     * @return always the same
     */
    public Roster roster() {
        return roster;
    }

    /** Makes every data call look again at what it remembers. */
    public void bump() {
        WORD.getAndAdd(this, 1L);
    }
}
