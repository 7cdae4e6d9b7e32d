package io.verbena.nic.direct;

import io.verbena.nic.os.FaultReports;
import io.verbena.verbs.AsyncEvent.QueuePairEvent.Kind;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * What the NIC has to do without being asked: retry after a receiver was not ready or did not answer, flush, seal. No
 * thread of its own: every post, poll, arm and wait calls {@link #runIfPending}, which costs one load while nothing is
 * outstanding. One thread at a time does the work; others pass by.
 */
public final class Progress {
    /** A deadline that never comes. */
    public static final long NEVER = Long.MAX_VALUE;

    /** A deadline that has come. */
    public static final long NOW = 0;

    static final long SEAL_RETRY_NS = 20_000;
    private static final long PARK_NS = 20_000;
    /** Turns after which a caller is let go although others go on ringing. */
    private static final int MOST_TURNS = 8;
    private static final VarHandle LISTED;

    static {
        try {
            LISTED = MethodHandles.lookup().findVarHandle(Item.class, "listed", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final AtomicReference<Item> arrivals = new AtomicReference<>();
    private final AtomicBoolean role = new AtomicBoolean();
    private final AtomicInteger kicks = new AtomicInteger();
    private final Runnable deadlineMoved;
    private final FaultReports faults;
    private volatile boolean pending;
    private volatile long deadline = NEVER;
    private Item items;
    /** What is driven as well; null for nothing. */
    private Engine engine;

    /** An endpoint as the list sees it. */
    abstract static class Item extends EndpointList.Place {
        private volatile boolean listed;
        private Item next;

        private Endpoint endpoint() {
            return (Endpoint) this;
        }
    }

    /**
     * Makes an empty list.
     *
     * @param name of the NIC
     * @param deadlineMoved called when work arrives, so that sleeping waiters look at {@link #nextDeadline} again
     */
    public Progress(String name, Runnable deadlineMoved) {
        faults = new FaultReports(name);
        this.deadlineMoved = deadlineMoved;
    }

    /** Drives something else as well from now on; before anybody drives progress. */
    public void engine(Engine newEngine) {
        engine = newEngine;
        pending = true;
    }

    /** Says that the calling thread, which has driven progress, is about to sleep. */
    public void handOver() {
        if (engine != null) {
            engine.handOver();
        }
    }

    /** Puts an endpoint on the list, if it is not there. */
    void register(Endpoint endpoint) {
        Item item = endpoint;
        if (LISTED.compareAndSet(item, false, true)) {
            Item top;
            do {
                top = arrivals.get();
                item.next = top;
            } while (!arrivals.compareAndSet(top, item));
        }
        kicks.incrementAndGet();
        pending = true;
        deadline = NOW;
        deadlineMoved.run();
    }

    /** Does what is due, if anything is outstanding. */
    public void runIfPending() {
        if (pending) {
            run();
        }
    }

    /** The same before something is posted; a NIC that sends packets is driven behind it, by {@link Outlet#ring}. */
    public void runBeforePost() {
        if (pending && engine == null) {
            run();
        }
    }

    /** When something is due next. */
    public long nextDeadline() {
        return pending ? deadline : NEVER;
    }

    private void run() {
        if (engine != null) {
            runEngine();
            return;
        }
        if (!isDue() || !role.compareAndSet(false, true)) {
            return;
        }
        try {
            advanceAll();
        } finally {
            role.set(false);
        }
    }

    private boolean isDue() {
        long due = deadline;
        return due == NOW || due != NEVER && System.nanoTime() - due >= 0;
    }

    private void runEngine() {
        for (int turns = 1; role.compareAndSet(false, true); turns++) {
            boolean good = false;
            try {
                engine.run();
                if (isDue()) {
                    advanceAll();
                }
                good = true;
            } finally {
                role.set(false);
                if (!good) {
                    deadlineMoved.run(); // what others have left to this thread is left to the engine's
                }
            }
            // Who rang meanwhile and found the role taken has left it to this thread.
            if (!engine.isRung()) {
                return;
            }
            if (turns == MOST_TURNS) {
                deadlineMoved.run(); // the engine's thread goes on if nobody else does
                return;
            }
        }
    }

    private void advanceAll() {
        // Meanwhile the deadline stays in the past: a waiter that looks now does not go to sleep for ever.
        int kicksBefore = kicks.get();
        acceptArrivals();
        long earliest = NEVER;
        Item kept = null;
        for (Item item = items; item != null; ) {
            Item after = item.next;
            if (keep(item)) {
                item.next = kept;
                kept = item;
                earliest = sooner(earliest, item.endpoint().nextDeadline());
            }
            item = after;
        }
        items = kept;
        deadline = earliest;
        pending = kept != null || engine != null;
        if (kicks.get() != kicksBefore) {
            // Somebody registered meanwhile, perhaps before the two were written above.
            deadline = NOW;
            pending = true;
            deadlineMoved.run();
        }
    }

    /** The deadline that comes first; differences count, since the clock may be negative. */
    private static long sooner(long a, long b) {
        if (a == NEVER || b == NEVER) {
            return a == NEVER ? b : a;
        }
        if (a == NOW || b == NOW) {
            return NOW;
        }
        return a - b < 0 ? a : b;
    }

    private boolean keep(Item item) {
        if (advance(item.endpoint())) {
            return true;
        }
        item.next = null;
        item.listed = false;
        // A last look: who adds work after the first one finds the item unlisted.
        return advance(item.endpoint()) && LISTED.compareAndSet(item, false, true);
    }

    /** A fault of ours costs one queue pair, whose requests are flushed, and not whoever happens to drive it. */
    private boolean advance(Endpoint endpoint) {
        try {
            return endpoint.advance();
        } catch (RuntimeException | Error e) {
            faults.add("goes on without queue pair " + endpoint.qpNum() + ", which failed and is in ERR", e);
            return endpoint.enterError(Kind.QP_FATAL);
        }
    }

    private void acceptArrivals() {
        for (Item item = arrivals.getAndSet(null); item != null; ) {
            Item after = item.next;
            item.next = items;
            items = item;
            item = after;
        }
    }

    /** Takes an endpoint off the list; only inside {@link #exclusively}. */
    void forget(Endpoint endpoint) {
        acceptArrivals();
        Item kept = null;
        for (Item item = items; item != null; ) {
            Item after = item.next;
            if (item == endpoint) {
                item.next = null;
                item.listed = false;
            } else {
                item.next = kept;
                kept = item;
            }
            item = after;
        }
        items = kept;
    }

    /** Waits until the turn of the engine that goes on is over, if there is an engine. */
    public void awaitTurn() {
        if (engine != null) {
            exclusively(() -> { });
        }
    }

    /**
     * Does something while nobody drives progress.
     *
     * @param action must not drive it, nor wait
     */
    public void exclusively(Runnable action) {
        while (!role.compareAndSet(false, true)) {
            LockSupport.parkNanos(PARK_NS);
        }
        try {
            action.run();
        } finally {
            role.set(false);
        }
        if (engine != null && engine.isRung()) {
            runEngine();
        }
    }
}
