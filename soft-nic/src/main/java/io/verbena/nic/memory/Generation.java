package io.verbena.nic.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * One number that changes whenever anything that data calls remember may no longer be used: a key, a queue pair's
 * state, a connection. Data calls compare it once, inside their {@link Guard}; it changes rarely, so every core keeps
 * it in its cache.
 */
public final class Generation extends GuardWord {
    private static final VarHandle WORD;

    private final Roster roster = new Roster();
    /** Where other processes read that something changed. */
    private volatile long[] copies = {};

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
        for (long copy : copies) {
            OffHeap.getAndAddLong(copy, 1);
        }
    }

    /**
     * Counts changes in another place too.
     *
     * @param address of 8 bytes that stay mapped until {@link #removeCopy} and all bumps that began before it are over
     */
    public synchronized void addCopy(long address) {
        long[] more = Arrays.copyOf(copies, copies.length + 1);
        more[copies.length] = address;
        copies = more;
    }

    /**
     * Counts changes there no longer.
     *
     * @param address what {@link #addCopy} was given
     */
    public synchronized void removeCopy(long address) {
        copies = Arrays.stream(copies).filter(copy -> copy != address).toArray();
    }
}
