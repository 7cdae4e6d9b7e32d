package io.verbena.async.op;

import io.verbena.async.memory.Loans;
import io.verbena.verbs.SendRequests;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * An operation from its start until the NIC has let go of it. Made once for each place of a send or receive queue and
 * used again and again, so that starting one allocates nothing; its generation tells the uses apart.
 *
 * <p>Whoever reserved it fills it in and posts it, and does not look at it any more after that. Whoever drives the
 * completions ends it.
 */
public final class Operation {
    /** A deadline that never comes. */
    public static final long NEVER = Long.MAX_VALUE;
    /** What bits 24 to 31 of a work request id say: a place of the application's table. */
    public static final int USER_TABLE = 0;
    /** A place kept for frames between the two ends. */
    public static final int CONTROL_TABLE = 1;
    /** A place of the receive queue. */
    public static final int RECEIVE_TABLE = 2;
    /** A place where an operation waits for one of the others. */
    public static final int WAITING_TABLE = 3;

    static final int TABLE_SHIFT = 24;
    private static final int INDEX_MASK = (1 << TABLE_SHIFT) - 1;

    private static final int FREE = 0;
    private static final int RESERVED = 1;
    private static final int POSTED = 2;
    private static final int CANCELLED = 3;
    private static final int PHASE_MASK = 3;
    private static final int ONE_GENERATION = 4;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Operation.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** What it does, of {@link OpCode}. */
    public int kind;
    /** Bits of {@link io.verbena.verbs.SendFlags} besides SIGNALED. */
    public int flags;
    /** Immediate data. */
    public int immediate;
    /** Who is told of the end; null when the result was given before. */
    public Object target;
    /** What a callback gets back. */
    public long token;
    /** The local memory it uses, or null. */
    public Loans lent;
    /** The loan of {@link #lent}. */
    public long loan;
    /** More loans, of an operation with several buffers; null for others. */
    public Runnable moreLoans;
    /** First byte of the local memory. */
    public long address;
    /** Bytes. */
    public long length;
    /** The key of the local memory. */
    public int lkey;
    /** First byte at the peer. */
    public long remoteAddress;
    /** The peer's key. */
    public int rkey;
    /** Compare, or what is added. */
    public long operand;
    /** What is swapped in. */
    public long swap;
    /** When the result is overdue, by the clock of the poller; {@link #NEVER} for no deadline. */
    public long deadline = NEVER;
    /** Whether the connection is broken when the result is overdue. */
    public boolean abortOnDeadline;
    /** Whether the result was given before, because the deadline was over. */
    public boolean overdue;
    /** Address, length and key of each buffer of an operation with several; null for one as the fields above say. */
    public long[] buffers;
    /** The list that posts what needs one; kept for the next use of the place. */
    public SendRequests requests;

    private final int tableAndIndex;
    private volatile int state;

    Operation(int table, int index) {
        tableAndIndex = table << TABLE_SHIFT | index;
    }

    /**
     * What to post it as.
     *
     * @return generation, table and place
     */
    public long wrId() {
        return (long) (ownState() & ~PHASE_MASK) << 30 | tableAndIndex & 0xFFFF_FFFFL;
    }

    /**
     * Its place in its table.
     *
     * @return from 0
     */
    public int index() {
        return tableAndIndex & INDEX_MASK;
    }

    /**
     * Tells this use of the place from others.
     *
     * @return any number
     */
    public int generation() {
        return ownState() & ~PHASE_MASK;
    }

    /**
     * The state as whoever holds the place knows it, who has got it by an atomic step or a completion. Not a volatile
     * read: after one of those the JVM must read every field again, which costs more than the read.
     */
    private int ownState() {
        return (int) STATE.get(this);
    }

    static int tableOf(long wrId) {
        return (int) wrId >>> TABLE_SHIFT;
    }

    static int indexOf(long wrId) {
        return (int) wrId & INDEX_MASK;
    }

    boolean isFree() {
        return (state & PHASE_MASK) == FREE;
    }

    boolean reserve() {
        int before = (int) STATE.getOpaque(this);
        return (before & PHASE_MASK) == FREE && STATE.compareAndSet(this, before, before | RESERVED);
    }

    /** For a table that one thread at a time uses. */
    boolean reserveAlone() {
        int before = ownState();
        if ((before & PHASE_MASK) != FREE) {
            return false;
        }
        STATE.set(this, before | RESERVED);
        return true;
    }

    /**
     * Says that posting it is over, so that its deadline counts. It may have ended since, so only a use of it is
     * marked that is still the one meant.
     *
     * @param generation what {@link #generation()} was before it was posted
     */
    public void posted(int generation) {
        STATE.compareAndSet(this, generation | RESERVED, generation | POSTED);
    }

    /**
     * Takes a waiting operation out, to post or to cancel it: one of the two gets it.
     *
     * @param generation which use of it
     * @return whether this call got it
     */
    public boolean take(int generation) {
        return STATE.compareAndSet(this, generation | POSTED, generation | RESERVED);
    }

    /** Ends what {@link #take} got, for whoever comes by the place in line to free it. */
    public void cancelled() {
        STATE.setRelease(this, state | CANCELLED);
    }

    /**
     * Whether {@link #cancelled} was called.
     *
     * @return true from then on
     */
    public boolean isCancelled() {
        return (state & PHASE_MASK) == CANCELLED;
    }

    /** Whether it is posted, or waits to be, and this is known to whoever scans deadlines. */
    boolean isPosted() {
        return (state & PHASE_MASK) == POSTED;
    }

    /**
     * Whether it waits in line instead of being about to be posted.
     *
     * @return true for a place in line
     */
    public boolean isInLine() {
        return tableAndIndex >>> TABLE_SHIFT == WAITING_TABLE;
    }

    boolean isInUse(long wrId) {
        int now = ownState();
        return (now & PHASE_MASK) != FREE && (now & ~PHASE_MASK) == (int) (wrId >>> 30 & ~PHASE_MASK);
    }

    /**
     * Notes its only buffer.
     *
     * @param at first byte
     * @param bytes how many
     * @param key the key of the memory
     */
    public void local(long at, long bytes, int key) {
        address = at;
        length = bytes;
        lkey = key;
    }

    /**
     * Notes where it is at the peer.
     *
     * @param at first byte
     * @param key the peer's key
     */
    public void remote(long at, int key) {
        remoteAddress = at;
        rkey = key;
    }

    /** Ends the use of its memory, whatever it was. */
    public void returnLoans() {
        Loans from = lent;
        if (from != null) {
            lent = null;
            from.release(loan);
        }
        Runnable more = moreLoans;
        if (more != null) {
            moreLoans = null;
            more.run();
        }
    }

    /**
     * Takes over what another place holds, when an operation leaves the line.
     *
     * @param from the place in line
     */
    public void takeOver(Operation from) {
        kind = from.kind;
        flags = from.flags;
        immediate = from.immediate;
        target = from.target;
        token = from.token;
        lent = from.lent;
        loan = from.loan;
        moreLoans = from.moreLoans;
        address = from.address;
        length = from.length;
        lkey = from.lkey;
        remoteAddress = from.remoteAddress;
        rkey = from.rkey;
        operand = from.operand;
        swap = from.swap;
        deadline = from.deadline;
        abortOnDeadline = from.abortOnDeadline;
        buffers = from.buffers;
        from.lent = null;
        from.moreLoans = null;
    }

    /** Gives the place free; its next use has another generation. */
    public void free() {
        target = null;
        deadline = NEVER;
        overdue = false;
        abortOnDeadline = false;
        if (buffers != null) { // storing a reference costs a store to the collector's card table as well
            buffers = null;
        }
        flags = 0;
        STATE.setRelease(this, (ownState() & ~PHASE_MASK) + ONE_GENERATION);
    }

    @Override
    public String toString() {
        return OpCode.name(kind) + " " + tableAndIndex + " generation " + (state >>> 2) + " phase "
                + (state & PHASE_MASK);
    }
}
