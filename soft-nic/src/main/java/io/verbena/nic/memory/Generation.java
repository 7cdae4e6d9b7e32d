package io.verbena.nic.memory;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
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
    private volatile MemorySegment[] copies = {};

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
        MemorySegment[] current = copies;
        for (MemorySegment copy : current) {
            OffHeap.getAndAddLong(copy.address(), 1);
        }
        // What is taken away meanwhile stays mapped until here.
        Reference.reachabilityFence(current);
    }

    /**
     * Counts changes in another place too.
     *
     * @param word 8 bytes that stay mapped while they can be reached
     */
    public synchronized void addCopy(MemorySegment word) {
        MemorySegment[] more = Arrays.copyOf(copies, copies.length + 1);
        more[copies.length] = word;
        copies = more;
    }

    /**
     * Counts changes there no longer.
     *
     * @param word what {@link #addCopy} was given
     */
    public synchronized void removeCopy(MemorySegment word) {
        copies = Arrays.stream(copies).filter(copy -> copy != word).toArray(MemorySegment[]::new);
    }
}
