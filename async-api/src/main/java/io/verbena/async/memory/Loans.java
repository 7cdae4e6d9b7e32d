package io.verbena.async.memory;

import io.verbena.verbs.Access;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * Which ranges of one piece of memory operations in flight use, and when the last one is over. Readers share, a writer
 * excludes everybody else from what it overlaps. Memory that was closed meanwhile is given back once nothing uses it.
 *
 * <p>One word holds the number of loans, whether the memory is closed, and a claim on the table of ranges. A claim is
 * one compare-and-set, lasts for tens of nanoseconds and never covers a call to anything else, so others spin. A loan
 * that is only counted takes no claim. Nothing is allocated once the table has grown to the largest number of
 * operations at a time. Safe from any thread.
 *
 * <p>Where one thread at a time lends, loans are counted in a plain field, the table is its own, and all of them
 * together are one in the word, from the first loan until the memory is closed and none is left. Only what holds the
 * memory besides, {@link #hold}, may then be another thread's.
 */
public abstract class Loans {
    /** Refused: an operation in flight uses some of these bytes in a way that excludes this one. */
    public static final long CONFLICT = -1;
    /** Refused: the memory is closed. */
    public static final long CLOSED = -2;
    /** Refused: the operation would write into memory without {@link Access#LOCAL_WRITE}. */
    public static final long READ_ONLY = -3;
    /** The loan of an operation that is only counted. */
    public static final long COUNTED = 0;

    private static final int CLOSED_BIT = 1 << 31;
    private static final int CLAIM_BIT = 1 << 30;
    private static final int COUNT_MASK = CLAIM_BIT - 1;
    private static final int SPINS = 200;

    private static final int INDEX_BITS = 24;
    private static final int INDEX_MASK = (1 << INDEX_BITS) - 1;
    private static final long MAX_SERIAL = (1L << Long.SIZE - 2 - INDEX_BITS) - 1;
    private static final int WORDS = 3;
    private static final int FIRST_ENTRIES = 4;
    /** No entry: the end of the list of free ones. */
    private static final int NONE = -1;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Loans.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final boolean readOnly;
    private final boolean alone;
    private volatile int state;
    // The only thread's, if there is only one: its loans, and whether they are one in the state.
    private int own;
    private boolean holding;

    // All below is guarded by the claim, or the only thread's. An entry is start, end, and the loan's id shifted left
    // by one plus 1 when it writes; 0 there says that it is free, and its first word is then the next free one.
    private long[] table;
    private String[] names;
    private int used;
    private int taken;
    private int writers;
    private int free = NONE;
    private long serial;

    /**
     * Makes the record of memory that nothing uses.
     *
     * @param access the rights of the memory's owner: without {@link Access#LOCAL_WRITE} nothing may write
     * @param alone whether one thread at a time lends and takes back
     */
    protected Loans(int access, boolean alone) {
        readOnly = (access & Access.LOCAL_WRITE) == 0;
        this.alone = alone;
    }

    /**
     * Called once, when the memory is closed and no operation uses it any more: it may be given back.
     *
     * @param byOwner whether the thread is one that closes memory, which may wait; else it handles completions
     */
    protected abstract void quiesced(boolean byOwner);

    /**
     * Lends a range to an operation.
     *
     * @param offset first byte
     * @param length bytes, 0 or more
     * @param writes whether the operation writes into it (READ, receives, prior values of atomics)
     * @param name what to call the operation to others that it excludes, a constant
     * @return the loan, 0 or more, to be given to {@link #release} once; or {@link #CONFLICT}, {@link #CLOSED} or
     *     {@link #READ_ONLY}
     */
    public final long acquire(long offset, long length, boolean writes, String name) {
        if (length == 0) {
            return acquireCounted(writes);
        }
        if (writes && readOnly) {
            return READ_ONLY;
        }
        return alone ? acquireAlone(offset, offset + length, writes, name)
                : acquireClaimed(offset, offset + length, writes, name);
    }

    private long acquireAlone(long start, long end, boolean writes, String name) {
        if (!holding && !holdForAll() || isClosing()) {
            return CLOSED;
        }
        if (own > 0 && (writes || writers > 0) && find(start, end, writes) != NONE) {
            return CONFLICT;
        }
        if (isFull()) {
            grow();
        }
        own++;
        return add(start, end, writes, name);
    }

    private long acquireClaimed(long start, long end, boolean writes, String name) {
        int before = claim();
        if (before < 0) {
            return CLOSED;
        }
        if ((writes || writers > 0) && find(start, end, writes) != NONE) {
            leave(before);
            return CONFLICT;
        }
        if (isFull()) {
            growClaimed(before);
        }
        long loan = add(start, end, writes, name);
        leave(before + 1);
        return loan;
    }

    /** For the only thread, which closes it, too: no fence. */
    private boolean isClosing() {
        return (int) STATE.getOpaque(this) < 0;
    }

    /** Makes all loans of the only thread one in the state; false when the memory is closed. */
    private boolean holdForAll() {
        holding = hold();
        return holding;
    }

    /**
     * Counts an operation without looking at what others use, for whoever checks ownership himself.
     *
     * @param writes whether the operation writes
     * @return {@link #COUNTED}, {@link #CLOSED} or {@link #READ_ONLY}
     */
    public final long acquireCounted(boolean writes) {
        if (writes && readOnly) {
            return READ_ONLY;
        }
        if (!alone) {
            return hold() ? COUNTED : CLOSED;
        }
        if (!holding && !holdForAll() || isClosing()) {
            return CLOSED;
        }
        own++;
        return COUNTED;
    }

    /** Keeps the memory until {@link #letGo}, for what is no operation; any thread. False when it is closed. */
    final boolean hold() {
        for (int spins = 0; ; spins++) {
            int before = state;
            if (before < 0) {
                return false;
            }
            if ((before & CLAIM_BIT) == 0 && STATE.weakCompareAndSet(this, before, before + 1)) {
                return true;
            }
            pause(spins);
        }
    }

    /** Ends {@link #hold}; by a thread that may wait. */
    final void letGo() {
        letGo(true);
    }

    private void letGo(boolean byOwner) {
        if (releaseCounted() == CLOSED_BIT) {
            quiesced(byOwner);
        }
    }

    /**
     * Counts another user on behalf of one that has a loan, so that it is granted even when the memory was closed
     * meanwhile. To be ended as {@link #COUNTED}.
     */
    final void acquireMore() {
        for (int spins = 0; ; spins++) {
            int before = state;
            assert (before & COUNT_MASK) > 0 : "nothing is lent";
            if ((before & CLAIM_BIT) == 0 && STATE.weakCompareAndSet(this, before, before + 1)) {
                return;
            }
            pause(spins);
        }
    }

    /**
     * Ends a loan: the NIC no longer touches the range.
     *
     * @param loan what {@link #acquire} or {@link #acquireCounted} returned, not negative
     */
    public final void release(long loan) {
        if (alone) {
            releaseAlone(loan);
        } else if ((loan == COUNTED ? releaseCounted() : releaseRange(loan)) == CLOSED_BIT) {
            quiesced(false);
        }
    }

    private void releaseAlone(long loan) {
        assert own > 0 : "released more often than acquired";
        if (loan != COUNTED) {
            if (isUnknown(loan)) {
                throw unknown(loan);
            }
            remove(loan);
        }
        if (--own == 0 && isClosing()) {
            holding = false;
            letGo(false);
        }
    }

    private int releaseCounted() {
        for (int spins = 0; ; spins++) {
            int before = state;
            assert (before & COUNT_MASK) > 0 : "released more often than acquired";
            if ((before & CLAIM_BIT) == 0 && STATE.weakCompareAndSet(this, before, before - 1)) {
                return before - 1;
            }
            pause(spins);
        }
    }

    private int releaseRange(long loan) {
        int before = claimEvenClosed();
        if (isUnknown(loan)) {
            leave(before);
            throw unknown(loan);
        }
        remove(loan);
        leave(before - 1);
        return before - 1;
    }

    private boolean isUnknown(long loan) {
        int index = (int) loan & INDEX_MASK;
        return index >= used || table[index * WORDS + 2] >>> 1 != loan;
    }

    private static IllegalStateException unknown(long loan) {
        return new IllegalStateException("loan " + loan + " was released before; a fault of the caller");
    }

    private void remove(long loan) {
        int index = (int) loan & INDEX_MASK;
        int at = index * WORDS;
        writers -= (int) table[at + 2] & 1;
        table[at + 2] = 0;
        table[at] = free;
        free = index;
        if (--taken == 0) {
            used = 0;
            free = NONE;
        }
    }

    /**
     * Whether an operation in flight excludes an access by the application.
     *
     * @param offset first byte
     * @param length bytes, 0 or more
     * @param writes whether the access writes
     * @return whether it has to wait; operations that are only counted exclude nothing
     */
    public final boolean excludes(long offset, long length, boolean writes) {
        if ((alone ? own : state & COUNT_MASK) == 0 || length == 0) {
            return false;
        }
        int before = claimEvenClosed();
        boolean found = find(offset, offset + length, writes) != NONE;
        leave(before);
        return found;
    }

    /**
     * Says what is in the way of an access.
     *
     * @param offset first byte
     * @param length bytes, 0 or more
     * @param writes whether the access writes
     * @return for example {@code bytes 0 to 63, which READ in flight writes}; null when nothing is in the way any more
     */
    public final String describe(long offset, long length, boolean writes) {
        int before = claimEvenClosed();
        int index = find(offset, offset + length, writes);
        String name = index == NONE ? null : names[index];
        long first = index == NONE ? 0 : table[index * WORDS];
        long last = index == NONE ? 0 : table[index * WORDS + 1] - 1;
        boolean wrote = index != NONE && (table[index * WORDS + 2] & 1) != 0;
        leave(before);
        return index == NONE ? null
                : "bytes " + first + " to " + last + ", which " + name + " in flight " + (wrote ? "writes" : "reads");
    }

    /**
     * Closes the memory: nothing is lent any more, and {@link #quiesced} is called once nothing is lent, perhaps here.
     *
     * @return whether this call closed it; false when it was closed already
     */
    public final boolean close() {
        for (int spins = 0; ; spins++) {
            int before = state;
            if (before < 0) {
                return false;
            }
            if ((before & CLAIM_BIT) == 0 && STATE.compareAndSet(this, before, before | CLOSED_BIT)) {
                if (before == 0) {
                    quiesced(true);
                } else if (holding && own == 0) {
                    holding = false;
                    letGo(true);
                }
                return true;
            }
            pause(spins);
        }
    }

    /**
     * Whether {@link #close} was called.
     *
     * @return true from then on
     */
    public final boolean isClosed() {
        return state < 0;
    }

    /**
     * How many loans there are.
     *
     * @return operations in flight and other users, a glance
     */
    public final int inFlight() {
        return (state & COUNT_MASK) + own - (holding ? 1 : 0);
    }

    /** The state before the claim, which is then held; negative, and no claim, when the memory is closed. */
    private int claim() {
        for (int spins = 0; ; spins++) {
            int before = state;
            if (before < 0) {
                return before;
            }
            if ((before & CLAIM_BIT) == 0 && STATE.weakCompareAndSet(this, before, before | CLAIM_BIT)) {
                return before;
            }
            pause(spins);
        }
    }

    private int claimEvenClosed() {
        for (int spins = 0; ; spins++) {
            int before = state;
            if ((before & CLAIM_BIT) == 0 && STATE.weakCompareAndSet(this, before, before | CLAIM_BIT)) {
                return before;
            }
            pause(spins);
        }
    }

    /** Nobody changes the word while the claim is held, so a store ends it. */
    private void leave(int after) {
        STATE.setRelease(this, after);
    }

    private static void pause(int spins) {
        if (spins % SPINS == SPINS - 1) {
            Thread.yield();
        } else {
            Thread.onSpinWait();
        }
    }

    private int find(long start, long end, boolean writes) {
        for (int index = 0, at = 0; index < used; index++, at += WORDS) {
            long tag = table[at + 2];
            if (tag != 0 && (writes || (tag & 1) != 0) && start < table[at + 1] && table[at] < end) {
                return index;
            }
        }
        return NONE;
    }

    private long add(long start, long end, boolean writes, String name) {
        int index = free;
        if (index != NONE) {
            free = (int) table[index * WORDS];
        } else {
            index = used++;
        }
        // Never 0, so that it is neither COUNTED nor free.
        serial = serial == MAX_SERIAL ? 1 : serial + 1;
        long loan = serial << INDEX_BITS | index;
        int at = index * WORDS;
        table[at] = start;
        table[at + 1] = end;
        table[at + 2] = loan << 1 | (writes ? 1 : 0);
        if (names[index] != name) { // storing a reference costs a store to the collector's card table as well
            names[index] = name;
        }
        taken++;
        writers += writes ? 1 : 0;
        return loan;
    }

    private boolean isFull() {
        return free == NONE && (table == null || used == names.length);
    }

    private void growClaimed(int before) {
        try {
            grow();
        } catch (OutOfMemoryError e) {
            leave(before);
            throw e;
        }
    }

    private void grow() {
        int entries = table == null ? FIRST_ENTRIES : 2 * names.length;
        long[] newTable = table == null ? new long[entries * WORDS] : Arrays.copyOf(table, entries * WORDS);
        names = names == null ? new String[entries] : Arrays.copyOf(names, entries);
        table = newTable;
    }
}
