package io.verbena.async.op;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What one connection hands over to a {@link Worker}, in order: a ring that the driver fills and the worker empties.
 * Nothing is allocated. It never overflows, because whoever starts an operation looks at {@link #isFull} first: so many
 * results that nobody has been told of are back pressure. Listed at the worker while there is something in it.
 */
public final class Handover {
    /** How much of one connection a worker does before it looks at others. */
    private static final int TURN = 256;
    private static final VarHandle LISTED;
    private static final VarHandle TAIL;
    private static final VarHandle HEAD;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            LISTED = lookup.findVarHandle(Handover.class, "listed", boolean.class);
            TAIL = lookup.findVarHandle(Handover.class, "tail", long.class);
            HEAD = lookup.findVarHandle(Handover.class, "head", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Gets what was handed over, on the worker's thread. */
    public interface Receiver {
        /**
         * One thing.
         *
         * @param kind what it is; any number
         * @param target who is told
         * @param token any number
         * @param status any number
         * @param value any number
         * @param extra anything
         */
        void receive(int kind, Object target, long token, int status, long value, Object extra);
    }

    /** A place of the ring. */
    private static final class Entry {
        int kind;
        Object target;
        long token;
        int status;
        long value;
        Object extra;
    }

    private final Worker worker;
    private final Receiver receiver;
    private final Runnable hasRoom;
    private final int maxResults;
    private final Entry[] ring;
    /** The next one that is listed at the worker. */
    Handover nextListed;
    private volatile boolean listed;
    private volatile long tail;
    private volatile long head;
    private volatile long resultsIn;
    private volatile long resultsOut;

    /**
     * Makes an empty one.
     *
     * @param worker who empties it
     * @param maxResults how many results may lie here before no more operations are started, 1 or more
     * @param others how much may lie here besides: results of operations under way, messages
     * @param receiver gets everything
     * @param hasRoom called, by the worker, whenever it was full and is not any more; now and then without need
     */
    public Handover(Worker worker, int maxResults, int others, Receiver receiver, Runnable hasRoom) {
        this.worker = worker;
        this.maxResults = maxResults;
        this.receiver = receiver;
        this.hasRoom = hasRoom;
        ring = new Entry[Integer.highestOneBit(Math.max(1, maxResults + others - 1)) << 1];
        for (int i = 0; i < ring.length; i++) {
            ring[i] = new Entry();
        }
    }

    /**
     * Whether no more operations are to be started; any thread.
     *
     * @return true while so many results lie here
     */
    public boolean isFull() {
        return resultsIn - resultsOut >= maxResults;
    }

    /**
     * Whether everything was taken; any thread.
     *
     * @return a glance
     */
    public boolean isEmpty() {
        return head == tail;
    }

    /**
     * Hands over the result of an operation; the driver.
     *
     * @param kind as {@link Receiver} gets it
     * @param target as above
     * @param token as above
     * @param status as above
     * @param value as above
     * @param extra as above
     * @return false when there is no room, which the bounds exclude
     */
    public boolean result(int kind, Object target, long token, int status, long value, Object extra) {
        // Before it can be taken, so that there are never more out than in.
        resultsIn = resultsIn + 1;
        if (put(~kind, target, token, status, value, extra)) {
            return true;
        }
        resultsIn = resultsIn - 1;
        return false;
    }

    /**
     * Hands over something else; the driver.
     *
     * @param kind as {@link Receiver} gets it, 0 or more
     * @param target as above
     * @param value as above
     * @param extra as above
     * @return false when there is no room, which the bounds exclude
     */
    public boolean other(int kind, Object target, long value, Object extra) {
        return put(kind, target, 0, 0, value, extra);
    }

    /** The kind of a result is told from others by its complement. */
    private boolean put(int kind, Object target, long token, int status, long value, Object extra) {
        long at = (long) TAIL.get(this);
        if (at - head >= ring.length) {
            return false;
        }
        Entry entry = ring[(int) at & ring.length - 1];
        entry.kind = kind;
        entry.target = target;
        entry.token = token;
        entry.status = status;
        entry.value = value;
        entry.extra = extra;
        tail = at + 1;
        list();
        return true;
    }

    private void list() {
        if (!listed && LISTED.compareAndSet(this, false, true)) {
            worker.list(this);
        }
    }

    /** What the worker does when it comes by. */
    void turn() {
        // First: what is handed over from here on lists it again, at the same worker.
        listed = false;
        try {
            empty(TURN);
        } finally {
            if (!isEmpty()) {
                list();
            }
        }
    }

    /** Hands on at most so much; the worker, also inside what it is handing on. Returns whether there was anything. */
    boolean empty(int most) {
        int done = 0;
        for (; done < most && !isEmpty(); done++) {
            long at = (long) HEAD.get(this);
            Entry entry = ring[(int) at & ring.length - 1];
            int kind = entry.kind;
            Object target = entry.target;
            long token = entry.token;
            int status = entry.status;
            long value = entry.value;
            Object extra = entry.extra;
            entry.target = null;
            entry.extra = null;
            // Before it is handed on: who is told may start another operation, or wait for the next result.
            head = at + 1;
            if (kind < 0) {
                long out = resultsOut + 1;
                resultsOut = out;
                // Looked at afterwards: it may have become full since any look before.
                if (resultsIn - out == maxResults - 1) {
                    hasRoom.run();
                }
                receiver.receive(~kind, target, token, status, value, extra);
            } else {
                receiver.receive(kind, target, token, status, value, extra);
            }
        }
        return done > 0;
    }
}
