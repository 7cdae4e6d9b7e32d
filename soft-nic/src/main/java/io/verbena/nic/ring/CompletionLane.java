package io.verbena.nic.ring;

import io.verbena.nic.counters.QueuePairCounters;
import io.verbena.nic.memory.Fences;
import io.verbena.verbs.WorkCompletion;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Completions on their way to one completion queue. They have one consumer: whoever holds the completion queue's poll
 * role. {@link SendLane} and {@link ReceiveLane} are rings of one queue of one queue pair with one producer at a time,
 * who writes the tail; {@link SharedLane} has any number of producers and a queue of its own, and uses neither ring,
 * head nor tail. All have in common how a completion is counted and announced, which any thread may do.
 *
 * <p>A lane is hot (the poller looks at it unasked) or cold (who produces puts it on the ready list). A producer's test
 * costs one load of a word that seldom changes. Why no wake-up is lost: a cold lane's producers and consumer each have
 * a full barrier between their store and their load; a hot lane turns cold under Fences.heavy().
 */
abstract class CompletionLane extends LanePadding3 {
    private static final VarHandle ATTENTION;
    private static final VarHandle HEAD;
    private static final VarHandle TAIL;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            ATTENTION = lookup.findVarHandle(LaneShared.class, "attention", int.class);
            HEAD = lookup.findVarHandle(LaneConsumer.class, "head", long.class);
            TAIL = lookup.findVarHandle(LaneProducer.class, "tail", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    CompletionLane(CompletionCore core, int qpNum, long entries, int depth) {
        super(core, qpNum, entries, depth);
    }

    /** Whether there is a completion to {@link #take}; only by the holder of the poll role. */
    abstract boolean isReady();

    /**
     * Takes the oldest completion, after {@link #isReady} said that there is one. Looking and taking are two methods
     * because a spinning poller looks a hundred times for each that it takes: the JVM compiles what seldom runs inside
     * of what often runs without inlining it.
     */
    abstract void take(WorkCompletion completion);

    /**
     * Takes the oldest completion; only by the holder of the poll role.
     *
     * @return 1 when one was taken, 0 when there is none
     */
    final int poll(WorkCompletion completion) {
        if (!isReady()) {
            return 0;
        }
        take(completion);
        return 1;
    }

    /** Counts a receive that is being taken, in the record of its queue pair. */
    final void countReceive(long record, int status, long length) {
        if (status == 0) {
            QueuePairCounters.receive(record, length);
        } else if (core.counters() != null) {
            core.counters().receiveFailed(record, status);
        }
    }

    /** Whether a completion is there, by any thread. */
    abstract boolean hasCompletion();

    /** Completions waiting; a snapshot. */
    abstract long backlog();

    /** Completions waiting, receives to be reported as flushed included; a snapshot. */
    long waiting() {
        return backlog();
    }

    /** Completions polled or dropped so far; a snapshot, by any thread. */
    public long taken() {
        return headAcquire();
    }

    final long headAcquire() {
        return (long) HEAD.getAcquire(this);
    }

    final void headRelease(long value) {
        HEAD.setRelease(this, value);
    }

    final void tailRelease(long value) {
        TAIL.setRelease(this, value);
    }

    /** The producer's own view of its tail. */
    final long tailPlain() {
        return (long) TAIL.get(this);
    }

    /** Whether the entry at an index holds a completion that was counted. */
    abstract boolean isCounted(long index);

    /**
     * Drops every entry below an index unpolled; only while nobody produces. Waits for a poll in flight.
     *
     * @param end where polling goes on
     */
    final void dropUntil(long end) {
        paused = true;
        Fences.heavy();
        core.guard().awaitQuiescent();
        for (long index = headAcquire(); index < tail; index++) {
            if (isCounted(index)) {
                core.uncount();
            }
        }
        headRelease(end);
        paused = false;
    }

    /**
     * Asks to add a completion, before it is written.
     *
     * @return the detail to write, marked when it was counted; -1 when the completion queue is full
     */
    final long admit(long detail) {
        if (!isCounted()) {
            return detail;
        }
        return core.count() ? Detail.counted(detail) : -1;
    }

    /**
     * Tells the completion queue about a completion, after it was published.
     *
     * @param solicited whether it matches an arm for solicited completions only
     */
    final void announce(boolean solicited) {
        if ((int) ATTENTION.getAcquire(this) != 0) {
            announceSlowly(solicited);
        }
    }

    /** Says to producers in other processes, if there may be any, whether the poller looks here unasked. */
    void showHot(boolean hot) {}

    /** Whether completions are counted, since the completion queue promises to hold fewer than the lanes do. */
    final boolean isCounted() {
        return ((int) ATTENTION.getAcquire(this) & COUNTED) != 0;
    }

    /** Says to producers in other processes, if there may be any, whether completions are counted. */
    void showCounted(boolean counted) {}

    /** Tells the completion queue about a completion that another process published and has told of. */
    public final void announceForeign(boolean solicited) {
        announceSlowly(solicited);
    }

    void announceSlowly(boolean solicited) {
        // The completion must be visible before the flags are read: the other side sets a flag, then looks again.
        VarHandle.fullFence();
        int state = attention;
        if ((state & (COLD | READY)) == COLD && setReady()) {
            core.pushReady(this);
        }
        if ((state & EVENTS) != 0) {
            core.signal(solicited);
        }
    }

    /** Marks a cold lane ready; true when it was cold and not ready before. */
    final boolean setReady() {
        for (;;) {
            int state = attention;
            if ((state & (COLD | READY)) != COLD) {
                return false;
            }
            if (ATTENTION.compareAndSet(this, state, state | READY)) {
                return true;
            }
        }
    }

    /** Changes flags: first clears some, then sets some; a full barrier. */
    final void mark(int clear, int set) {
        for (;;) {
            int state = attention;
            if (ATTENTION.compareAndSet(this, state, state & ~clear | set)) {
                return;
            }
        }
    }
}
