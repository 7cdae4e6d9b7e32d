package io.verbena.nic.ring;

import io.verbena.nic.counters.NicCounters;
import io.verbena.nic.memory.Fences;
import io.verbena.nic.memory.Guard;
import io.verbena.nic.memory.Roster;
import io.verbena.verbs.CompletionQueueSnapshot;
import io.verbena.verbs.CompletionQueueSnapshot.Arming;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.WorkCompletion;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The data path of a completion queue: merges its lanes. The poller looks at a few hot lanes unasked and at others when
 * they are on the ready list, so that polling costs the same however many queue pairs are idle.
 */
public final class CompletionCore extends Roster.Member {
    /** Every so many polls the ready lanes come first, so that busy hot ones can't starve them. */
    private static final int COLD_FIRST = 32;

    private final Guard guard = new Guard();
    private final AtomicInteger pollRole;
    private final CompletionListener listener;
    private final boolean events;
    private final ArmedWord armed;
    private final LaneSelector selector = new LaneSelector();
    private final AtomicReference<CompletionLane> ready = new AtomicReference<>();
    private final AtomicLong counted = new AtomicLong();
    private final LaneList lanes = new LaneList();
    private volatile int capacity;
    private volatile boolean failed;
    private final AtomicBoolean failing = new AtomicBoolean();
    private volatile boolean closed;
    private volatile int removals;
    private volatile boolean turnedAway;
    private boolean counting;
    private long reserved;
    private int removalsSeen;
    private NicCounters counters;
    private Elsewhere elsewhere;

    /** Producers in other processes. */
    public interface Elsewhere {
        /** Announces what they have produced and not announced themselves; costs a few loads when there is nothing. */
        void look();
    }

    /**
     * Makes a queue without lanes, in this process alone.
     *
     * @param capacity completions it promises to hold
     * @param events whether it may be armed
     * @param singleThreaded whether pollers order themselves
     * @param listener told of events
     */
    public CompletionCore(int capacity, boolean events, boolean singleThreaded, CompletionListener listener) {
        this(capacity, events ? new ArmedWord() : null, singleThreaded, listener);
    }

    /**
     * Makes a queue without lanes.
     *
     * @param capacity completions it promises to hold
     * @param armed says whether it is armed; null when it may not be
     * @param singleThreaded whether pollers order themselves
     * @param listener told of events
     */
    public CompletionCore(int capacity, ArmedWord armed, boolean singleThreaded, CompletionListener listener) {
        this.capacity = capacity;
        this.armed = armed;
        events = armed != null;
        this.listener = listener;
        pollRole = singleThreaded ? null : new AtomicInteger();
    }

    /**
     * Takes the oldest completion of some lane.
     *
     * @param completion filled when 1 is returned
     * @param looks how often to look at the lanes that are usually busy
     * @return 1, 0 (none, or another thread is polling), or a negative code of {@link PostStatus}
     */
    public int poll(WorkCompletion completion, int looks) {
        if (pollRole != null && (pollRole.getPlain() != 0 || !pollRole.compareAndSet(0, 1)) && !takeRoleLate()) {
            return 0;
        }
        guard.enter();
        try {
            return takeOne(completion, looks);
        } finally {
            guard.exit();
            if (pollRole != null) {
                giveRole();
            }
        }
    }

    /** Found another poll in progress: leaves word that this one may have missed something, and tries once more. */
    private boolean takeRoleLate() {
        if (!events) {
            return false;
        }
        turnedAway = true;
        return pollRole.compareAndSet(0, 1);
    }

    private void giveRole() {
        if (!events) {
            pollRole.setRelease(0);
            return;
        }
        pollRole.set(0);
        if (turnedAway) {
            // Who armed, polled and was turned away may sleep now, though a completion came after this poll had looked.
            turnedAway = false;
            signal(true);
        }
    }

    private int takeOne(WorkCompletion completion, int looks) {
        if (removals != removalsSeen) {
            forgetRemoved();
        }
        if ((selector.count() & COLD_FIRST - 1) == 0) {
            int taken = takeCold(completion);
            if (taken > 0) {
                return taken;
            }
        }
        CompletionLane lane = selector.findHot(looks);
        if (lane == null) {
            return takeCold(completion);
        }
        selector.takeHot(lane, completion);
        return 1;
    }

    private int takeCold(WorkCompletion completion) {
        if (elsewhere != null) {
            elsewhere.look();
        }
        if (ready.getPlain() != null) {
            selector.accept(ready.getAndSet(null));
        }
        int taken = selector.pollCold(completion);
        if (taken == 0 && (failed || closed)) {
            return closed ? PostStatus.CLOSED : PostStatus.CQ_ERROR;
        }
        return taken;
    }

    private void forgetRemoved() {
        removalsSeen = removals;
        selector.accept(ready.getAndSet(null));
        selector.forgetRemoved();
    }

    void pushReady(CompletionLane lane) {
        CompletionLane top;
        do {
            top = ready.get();
            lane.nextReady = top;
        } while (!ready.compareAndSet(top, lane));
    }

    // Counting, only while the lanes could together hold more than the capacity

    boolean count() {
        if (failed) {
            return false;
        }
        if (counted.getAndIncrement() < capacity) {
            return true;
        }
        counted.getAndDecrement();
        fail();
        return false;
    }

    void uncount() {
        counted.getAndDecrement();
    }

    private void fail() {
        // Only counted lanes get here, and from now on every lane stays counted, so all of them see this flag.
        if (failing.getAndSet(true)) {
            return;
        }
        failed = true;
        listener.overflowed();
        signal(true);
    }

    /** Whether it has overflowed and is in error. */
    public boolean isFailed() {
        return failed;
    }

    /** Whether it is armed, for those who may arm it; else null. */
    ArmedWord armedWord() {
        return armed;
    }

    int initialAttention() {
        return events ? LaneShared.EVENTS : 0;
    }

    // Events

    /**
     * Arms the queue for one event.
     *
     * @param solicitedOnly only solicited completions and failures
     */
    public void arm(boolean solicitedOnly) {
        armed.widen(solicitedOnly ? ArmedWord.ARMED_SOLICITED : ArmedWord.ARMED_ALL);
        VarHandle.fullFence();
    }

    void signal(boolean solicited) {
        if (!events) {
            return;
        }
        int current = armed.get();
        while (current == ArmedWord.ARMED_ALL || current == ArmedWord.ARMED_SOLICITED && solicited) {
            if (armed.compareAndSet(current, ArmedWord.NOT_ARMED)) {
                listener.completionEvent();
                return;
            }
            current = armed.get();
        }
    }

    private Arming arming() {
        return switch (events ? armed.get() : ArmedWord.NOT_ARMED) {
            case ArmedWord.NOT_ARMED -> Arming.NOT_ARMED;
            case ArmedWord.ARMED_SOLICITED -> Arming.SOLICITED_ONLY;
            default -> Arming.ANY;
        };
    }

    // Control calls; the caller serialises them

    /**
     * Adds a lane.
     *
     * @param lane a lane made for this queue
     * @param depth completions it can hold
     */
    public void add(CompletionLane lane, int depth) {
        lanes.add(lane);
        markCounting(lane);
        reserved += depth;
        chooseCounting();
    }

    /**
     * Removes a lane; afterwards no poller touches its memory.
     *
     * @param lane a lane added before
     * @param depth what add was given
     */
    public void remove(CompletionLane lane, int depth) {
        lane.removed = true;
        removals++;
        lanes.remove(lane);
        reserved -= depth;
        Fences.heavy();
        guard.awaitQuiescent();
        chooseCounting();
    }

    /**
     * Expects more completions, or fewer, of a lane added before; later passed to {@link #remove} in the sum.
     *
     * @param more how many more it can hold
     */
    public void expect(int more) {
        reserved += more;
        chooseCounting();
    }

    private void chooseCounting() {
        boolean needed = failed || reserved > capacity;
        if (needed == counting) {
            return;
        }
        counting = needed;
        for (CompletionLane lane = lanes.first(); lane != null; lane = lane.nextLane) {
            markCounting(lane);
        }
    }

    private void markCounting(CompletionLane lane) {
        lane.mark(LaneShared.COUNTED, counting ? LaneShared.COUNTED : 0);
        lane.showCounted(counting);
    }

    /**
     * Changes the capacity; nothing moves, since completions live in the lanes.
     *
     * @param newCapacity at least {@link #backlog()}
     */
    public void resize(int newCapacity) {
        capacity = newCapacity;
        chooseCounting();
    }

    /**
     * Completions waiting in all lanes.
     *
     * @return a snapshot
     */
    public long backlog() {
        long sum = 0;
        for (CompletionLane lane = lanes.first(); lane != null; lane = lane.nextLane) {
            sum += lane.backlog();
        }
        return sum;
    }

    /**
     * What the queue holds.
     *
     * @return counts as of now
     */
    public CompletionQueueSnapshot snapshot() {
        long waiting = 0;
        for (CompletionLane lane = lanes.first(); lane != null; lane = lane.nextLane) {
            waiting += lane.waiting();
        }
        return new CompletionQueueSnapshot(waiting, arming(), failed);
    }

    /** Makes polls return {@link PostStatus#CLOSED}. */
    public void close() {
        closed = true;
    }

    @Override
    protected long activity() {
        return guard.sample();
    }

    @Override
    protected void awaitQuiescent() {
        guard.awaitQuiescent();
    }

    /** Says who announces what other processes produce; before the first lane is added. */
    public void elsewhere(Elsewhere producers) {
        elsewhere = producers;
    }

    /** Says where to count; before the first lane is added. */
    public void counters(NicCounters nic) {
        counters = nic;
    }

    NicCounters counters() {
        return counters;
    }

    /** What waits for polls in flight. */
    public Guard guard() {
        return guard;
    }
}
