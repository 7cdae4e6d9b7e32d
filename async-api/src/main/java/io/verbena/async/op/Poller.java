package io.verbena.async.op;

import io.verbena.async.memory.MonotonicClock;
import io.verbena.verbs.CompletionChannel;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueueConfig;
import io.verbena.verbs.Context;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WorkCompletion;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * One completion queue with everything that completes there. Its completions are handed over by whoever has the
 * driver's role: the poller's thread, somebody who waits for a future, or somebody who calls {@link #drive}. The role
 * is one compare-and-set, held for a turn; its holder may wait inside a callback, and then drives on from there.
 */
public final class Poller implements AutoCloseable {
    /** What {@link #drive} answers when somebody else drives. */
    public static final int BUSY = -1;

    private static final int IDLE_TURNS_BETWEEN_LOOKS = 64;
    /** How often a callback that something overdue has led to, and that waits, looks for what is due meanwhile. */
    private static final long NESTED_LOOK_NANOS = 1_000_000;
    /** How long who needs the role waits for somebody who doesn't give it back. */
    private static final long LONGEST_CLAIM_NANOS = 30_000_000_000L;
    private static final VarHandle OWNER;
    private static final VarHandle WANTING;
    private static final VarHandle NEXT_DUE;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            OWNER = lookup.findVarHandle(Poller.class, "owner", Thread.class);
            WANTING = lookup.findVarHandle(Poller.class, "wanting", Driven.class);
            NEXT_DUE = lookup.findVarHandle(Poller.class, "nextDue", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final CompletionQueue queue;
    private final CompletionChannel channel;
    private final WorkCompletion completion = new WorkCompletion();
    private final Line line = new Line();
    private final Object mapChange = new Object();
    private final PollerThread thread;
    private final boolean alone;
    /** Who waits for the role with something to do, so that nobody goes to sleep with it. */
    private final AtomicInteger claimants = new AtomicInteger();
    private volatile Thread owner;
    private volatile Driven wanting;
    private volatile long nextDue = Operation.NEVER;
    private volatile Int2ObjectHashMap<Driven> byNumber = new Int2ObjectHashMap<>();
    private volatile Driven[] all = {};
    // Below: the role's holder only.
    private int lastNumber = -1;
    private Driven last;
    private int idleTurns;
    private boolean wide;
    private long nextNestedLook;
    /** Those of {@link #wanting} that have not had their turn yet: a turn may wait, and who waits goes on with them. */
    private Driven granted;

    /**
     * Makes a poller, without its thread.
     *
     * @param context where the queue is made
     * @param capacity completions the queue holds: at least what all queue pairs on it can have under way
     * @param mode how its thread waits
     * @param name what to call its thread
     * @param alone whether one thread at a time uses it and everything on it
     * @throws io.verbena.verbs.VerbsException when the device refuses the queue
     */
    public Poller(Context context, int capacity, PollMode mode, String name, boolean alone) {
        this(context, capacity, alone, poller -> mode == PollMode.MANUAL ? null : new PollerThread(poller, mode, name));
    }

    Poller(Context context, int capacity, boolean alone, Function<Poller, PollerThread> makeThread) {
        this.alone = alone;
        channel = context.createCompletionChannel();
        try {
            queue = context.createCompletionQueue(CompletionQueueConfig.of(capacity)
                    .withChannel(channel).withThreading(Threading.SINGLE));
        } catch (RuntimeException | Error e) {
            channel.close();
            throw e;
        }
        thread = makeThread.apply(this);
    }

    /** Starts its thread, if it has one. */
    public void start() {
        if (thread != null) {
            thread.start();
        }
    }

    /**
     * Where queue pairs complete.
     *
     * @return the queue
     */
    public CompletionQueue queue() {
        return queue;
    }

    CompletionChannel channel() {
        return channel;
    }

    /**
     * Adds something to drive.
     *
     * @param number its queue pair's number
     * @param driven gets the completions
     */
    public void add(int number, Driven driven) {
        change(number, driven);
    }

    /**
     * Takes something out; to be called by the role's holder once its queue pair is closed.
     *
     * @param number its queue pair's number
     */
    public void remove(int number) {
        change(number, null);
        lastNumber = -1;
        last = null;
    }

    // A control call: connections come and go seldom, and lookups see the old map or the new one.
    private void change(int number, Driven driven) {
        synchronized (mapChange) {
            Int2ObjectHashMap<Driven> copy = new Int2ObjectHashMap<>(byNumber);
            if (driven == null) {
                copy.remove(number);
            } else {
                copy.put(number, driven);
            }
            byNumber = copy;
            all = copy.values().toArray(new Driven[0]);
        }
    }

    /**
     * Hands over what has completed, and does what is due.
     *
     * @param max most completions
     * @return how many; {@link #BUSY} when somebody else does it
     */
    public int drive(int max) {
        Thread me = Thread.currentThread();
        Thread holder = owner;
        if (holder == me) {
            return turn(max);
        }
        if (holder != null || !take(me)) {
            return BUSY;
        }
        try {
            return turn(max);
        } finally {
            release();
        }
    }

    private boolean take(Thread me) {
        if (alone) {
            OWNER.set(this, me);
            return true;
        }
        return OWNER.compareAndSet(this, null, me);
    }

    /**
     * Whether this thread has the role, as inside a callback.
     *
     * @return true there
     */
    public boolean isMine() {
        return owner == Thread.currentThread();
    }

    /**
     * Does something as the driver, waiting for the role. Not for the data path.
     *
     * @param work what to do
     * @throws IllegalStateException when a callback has kept the role for half a minute, and work was not done
     */
    public void asDriver(Runnable work) {
        asDriver(work, LONGEST_CLAIM_NANOS);
    }

    void asDriver(Runnable work, long longestNanos) {
        Thread me = Thread.currentThread();
        if (owner == me) {
            work.run();
            return;
        }
        claimants.incrementAndGet();
        try {
            awaitRole(me, longestNanos);
        } finally {
            claimants.decrementAndGet();
        }
        try {
            work.run();
        } finally {
            release();
        }
    }

    private void awaitRole(Thread me, long longestNanos) {
        long start = MonotonicClock.nanos();
        for (int tries = 0; !OWNER.compareAndSet(this, null, me); tries++) {
            if (tries < 100) {
                Thread.onSpinWait();
                continue;
            }
            LockSupport.parkNanos(20_000);
            Thread holder = owner;
            if (holder != null && MonotonicClock.nanos() - start > longestNanos) {
                throw new IllegalStateException("completions are handed over by " + holder + ", which has not come"
                        + " back for " + longestNanos / 1_000_000 + " ms: a callback or an inline dependent blocks"
                        + " there; it must return before this connection can be closed or changed");
            }
        }
    }

    /** Hands over what has completed so far, and gives nobody a turn. The role's holder only. */
    public void catchUp() {
        for (int left = queue.capacity(); left > 0 && queue.poll(completion) == 1; left--) {
            dispatch();
        }
    }

    boolean isClaimed() {
        return claimants.get() > 0;
    }

    /** Takes the role for a sleep, unless somebody waits for it. */
    boolean claim() {
        return owner == null && !isClaimed() && OWNER.compareAndSet(this, null, Thread.currentThread());
    }

    /** Gives the role up, and gives it to somebody who waits when there is no thread for it. */
    void release() {
        Waiter next = thread == null ? line.leave() : null;
        // Who enters the line after this look finds the role free, or looks again by himself soon: no fence is needed.
        OWNER.setRelease(this, (Thread) null);
        if (next != null) {
            next.wake();
        }
    }

    int turn(int max) {
        int taken = 0;
        while (queue.poll(completion) == 1) {
            dispatch();
            if (++taken >= max) {
                break;
            }
        }
        if (hasWork()) {
            giveTurns();
        }
        if ((wide || nextDue != Operation.NEVER) && (taken == 0 || ++idleTurns >= IDLE_TURNS_BETWEEN_LOOKS)) {
            idleTurns = 0;
            doDue();
        }
        return taken;
    }

    private void dispatch() {
        int number = completion.qpNum();
        Driven to = number == lastNumber ? last : lookUp(number);
        if (to != null) {
            to.onCompletion(completion);
        }
    }

    private Driven lookUp(int number) {
        Driven found = byNumber.get(number);
        if (found != null) {
            lastNumber = number;
            last = found;
        }
        return found;
    }

    private void giveTurns() {
        if (granted == null) {
            granted = (Driven) WANTING.getAndSet(this, null);
        }
        for (Driven each = granted; each != null; each = granted) {
            granted = each.nextWanting;
            each.nextWanting = null;
            each.unlist();
            each.onTurn();
        }
    }

    private void doDue() {
        long now = MonotonicClock.nanos();
        boolean nested = wide;
        if (nextDue > now && (!nested || nextNestedLook > now)) {
            return;
        }
        // Deadlines that are set from here on are seen, by this scan or because they lower the field again.
        nextDue = Operation.NEVER;
        // Those that an outer scan has found, or not come to, are in no field: a nested one looks for itself.
        nextNestedLook = now + NESTED_LOOK_NANOS;
        wide = true;
        long next = nextNestedLook;
        try {
            long found = Operation.NEVER;
            for (Driven each : all) {
                found = Math.min(found, each.onDue(now));
            }
            next = found;
        } finally {
            wide = nested;
            dueBy(next);
        }
    }

    /**
     * Sees to it that {@link Driven#onDue} is called.
     *
     * @param time when, by {@link MonotonicClock}; {@link Operation#NEVER} for not at all
     */
    public void dueBy(long time) {
        long before = nextDue;
        while (time < before && !NEXT_DUE.compareAndSet(this, before, time)) {
            before = nextDue;
        }
        if (time < before && thread != null) {
            thread.noteDue(time);
        }
    }

    long nextDue() {
        return nextDue;
    }

    /**
     * Sees to it that {@link Driven#onTurn} is called by whoever drives next.
     *
     * @param driven what wants a turn
     */
    public void wantTurn(Driven driven) {
        if (!driven.list()) {
            return;
        }
        Driven before;
        do {
            before = wanting;
            driven.nextWanting = before;
        } while (!WANTING.compareAndSet(this, before, driven));
        if (thread != null) {
            thread.noteWork();
        }
    }

    /** Whether somebody wants a turn; the role's holder only. */
    boolean hasWork() {
        return wanting != null || granted != null;
    }

    /** As {@link #hasWork}, for who has not the role: a glance. */
    boolean wantsTurn() {
        return wanting != null;
    }

    /**
     * Waits for the end of something, and drives meanwhile unless somebody else does.
     *
     * @param waiter what to wait for
     * @param deadline when to give up, by {@link MonotonicClock}; {@link Operation#NEVER} for never
     * @return whether it is done
     * @throws InterruptedException when the thread is interrupted
     */
    public boolean await(Waiter waiter, long deadline) throws InterruptedException {
        if (waiter.isDone()) {
            return true;
        }
        Worker worker = Worker.mine();
        return worker != null ? worker.await(this, waiter, deadline) : new Wait(this, waiter, deadline).run();
    }

    Line line() {
        return line;
    }

    PollerThread thread() {
        return thread;
    }

    /** Arms the queue; whoever sleeps on the channel must poll again first. */
    boolean arm() {
        return queue.arm(false) == PostStatus.OK;
    }

    /**
     * Stops its thread and closes the queue. Everything on it must have been removed and closed.
     *
     * @throws io.verbena.verbs.VerbsException EBUSY while a queue pair uses the queue
     */
    @Override
    public void close() {
        if (thread != null) {
            thread.stop();
        }
        queue.close();
        channel.close();
    }
}
