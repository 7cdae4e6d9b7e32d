package io.verbena.nic;

import io.verbena.nic.direct.Progress;
import io.verbena.nic.ring.ArmedWord;
import io.verbena.nic.ring.CompletionCore;
import io.verbena.nic.ring.CompletionListener;
import io.verbena.nic.shm.Bells;
import io.verbena.nic.stat.DeviceCounter;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.CompletionChannel;
import io.verbena.verbs.CompletionHandler;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueueConfig;
import io.verbena.verbs.CompletionQueueSnapshot;
import io.verbena.verbs.Context;
import io.verbena.verbs.DeviceLimit;
import io.verbena.verbs.Errno;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.Threading;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WorkCompletion;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** A completion queue: the control side of a {@link CompletionCore}. */
final class SoftCompletionQueue implements CompletionQueue, CompletionListener {
    /** Most looks in one call: control calls may have to wait for a poll in progress. */
    private static final int MAX_LOOKS = 256;

    /** Next in the stack of queues with events; belongs to the channel. */
    SoftCompletionQueue nextInChannel;

    private final SoftContext context;
    private final SoftCompletionChannel channel;
    private final Object userContext;
    private final CompletionCore core;
    private final Progress progress;
    private final ArmedWord armedWord;
    /** Where other processes ring; null when there is no way from them. */
    private final Bells bells;
    private final AtomicInteger undelivered = new AtomicInteger();
    private final AtomicInteger unacknowledged = new AtomicInteger();
    private final AtomicReference<WorkCompletion> borrowed = new AtomicReference<>();
    private volatile int capacity;
    private volatile boolean closed;
    private int users;
    private boolean detached;

    SoftCompletionQueue(SoftContext context, CompletionQueueConfig config) {
        this.context = context;
        channel = (SoftCompletionChannel) config.channel();
        userContext = config.userContext();
        capacity = config.cqe();
        progress = context.nic().progress();
        boolean alone = config.threading() == Threading.SINGLE;
        Hearing hearing = context.nic().hearing();
        bells = hearing == null ? null : hearing.bells();
        armedWord = channel == null ? null : bells == null ? new ArmedWord() : channel.ear().newArmedWord();
        core = new CompletionCore(capacity, armedWord, alone, this);
        core.counters(context.nic().counters());
        core.elsewhere(bells);
        if (channel != null) {
            channel.queueAdded();
        }
    }

    static void check(SoftContext context, CompletionQueueConfig config) {
        checkCapacity(config.cqe());
        long vectors = NicLimits.limit(DeviceLimit.NUM_COMP_VECTORS);
        if (config.completionVector() >= vectors) {
            throw VerbsException.invalid("completionVector", config.completionVector(), "0 to " + (vectors - 1));
        }
        if (config.channel() != null && !(config.channel() instanceof SoftCompletionChannel channel
                && channel.context() == context && !channel.isClosed())) {
            throw VerbsException.invalid("channel", config.channel(), "an open completion channel of the same context");
        }
    }

    private static void checkCapacity(int cqe) {
        long limit = NicLimits.limit(DeviceLimit.MAX_CQE);
        if (cqe < 1 || cqe > limit) {
            throw VerbsException.invalid("cqe", cqe, "1 to " + limit);
        }
    }

    CompletionCore core() {
        return core;
    }

    SoftContext softContext() {
        return context;
    }

    boolean isClosed() {
        return closed;
    }

    /** Refuses what can't help a queue that has overflowed. */
    void requireIntact(String argument) {
        if (core.isFailed()) {
            throw new VerbsException(Errno.EIO, argument, "the " + this
                    + " has overflowed and is in error; close its queue pairs and create a larger one");
        }
    }

    void userAdded() {
        users++;
    }

    void userRemoved() {
        users--;
    }

    // Data path

    @Override
    public int poll(WorkCompletion completion) {
        if (completion == null) {
            throw VerbsException.invalid("completion", null, "a WorkCompletion to fill");
        }
        progress.runIfPending();
        return core.poll(completion, 1);
    }

    @Override
    public int poll(WorkCompletion completion, int looks) {
        if (completion == null) {
            throw VerbsException.invalid("completion", null, "a WorkCompletion to fill");
        }
        if (looks < 1) {
            throw VerbsException.invalid("looks", looks, "1 or more");
        }
        progress.runIfPending();
        return core.poll(completion, Math.min(looks, MAX_LOOKS));
    }

    @Override
    public int poll(WorkCompletion[] completions) {
        if (completions == null) {
            throw VerbsException.invalid("completions", null, "an array of WorkCompletion to fill");
        }
        int taken = 0;
        while (taken < completions.length) {
            if (taken > 0 && completions[taken] == null) {
                return taken; // the next call says what is wrong; what was taken must not be lost
            }
            int one = poll(completions[taken]);
            if (one <= 0) {
                return taken > 0 ? taken : one;
            }
            taken++;
        }
        return taken;
    }

    @Override
    public int poll(CompletionHandler handler, int max) {
        if (max < 0) {
            throw VerbsException.invalid("max", max, "0 or more");
        }
        if (handler == null) {
            throw VerbsException.invalid("handler", null, "a CompletionHandler");
        }
        // Poll and call out one at a time: no poll is in progress while user code runs, so it may make control calls.
        WorkCompletion completion = borrowed.getAndSet(null);
        WorkCompletion used = completion == null ? new WorkCompletion() : completion;
        try {
            int taken = 0;
            while (taken < max) {
                int one = poll(used);
                if (one <= 0) {
                    return taken > 0 ? taken : one;
                }
                taken++;
                handler.onCompletion(used);
            }
            return taken;
        } finally {
            borrowed.set(used);
        }
    }

    @Override
    public int arm(boolean solicitedOnly) {
        if (closed) {
            return PostStatus.CLOSED;
        }
        if (channel == null) {
            return PostStatus.WRONG_STATE;
        }
        lookAtBells(); // what was there before makes no event
        core.arm(solicitedOnly);
        lookAtBells(); // who rang before it could see the queue armed has woken nobody
        progress.runIfPending();
        return PostStatus.OK;
    }

    private void lookAtBells() {
        if (bells != null) {
            bells.lookAtAll();
        }
    }

    // Events

    @Override
    public void completionEvent() {
        channel.deliver(this);
    }

    @Override
    public void overflowed() {
        context.nic().counters().add(DeviceCounter.CQ_OVERFLOWS, 1);
        context.events().raise(sequence -> new AsyncEvent.CompletionQueueError(sequence, this));
    }

    /** Counts an event; true when there was none undelivered before. */
    boolean addEvent() {
        return undelivered.getAndIncrement() == 0;
    }

    /** Moves an event from undelivered to unacknowledged; true when it was the last one undelivered. */
    boolean takeEvent() {
        unacknowledged.getAndIncrement();
        return undelivered.decrementAndGet() == 0;
    }

    @Override
    public void acknowledge(int events) {
        int now;
        do {
            now = unacknowledged.get();
            if (events < 1 || events > now) {
                throw VerbsException.invalid("events", events, now == 0 ? "none, since no event is unacknowledged"
                        : "1 to " + now + " unacknowledged");
            }
        } while (!unacknowledged.compareAndSet(now, now - events));
        if (channel != null) {
            channel.waiters().wakeAll();
        }
    }

    // Control

    @Override
    public void resize(int cqe) {
        checkCapacity(cqe);
        context.control(() -> {
            if (closed) {
                throw VerbsException.closed("completion queue");
            }
            requireIntact("completion queue");
            long waiting = core.backlog();
            if (cqe < waiting) {
                throw VerbsException.invalid("cqe", cqe, waiting + " or more, the completions waiting to be polled");
            }
            capacity = cqe;
            core.resize(cqe);
            return null;
        });
    }

    @Override
    public int capacity() {
        return capacity;
    }

    @Override
    public CompletionQueueSnapshot snapshot() {
        return context.control(() -> {
            if (closed) {
                throw VerbsException.closed("completion queue");
            }
            return core.snapshot();
        });
    }

    @Override
    public CompletionChannel channel() {
        return channel;
    }

    @Override
    public Object userContext() {
        return userContext;
    }

    @Override
    public Context context() {
        return context;
    }

    @Override
    public String toString() {
        return (closed ? "closed " : "") + "completion queue of " + capacity + " on " + context.device().name();
    }

    @Override
    public void close() {
        context.nic().fabric().controlLock().lock();
        try {
            if (!closed) {
                refuseWhileUsed();
                closed = true;
                core.close();
                context.nic().fabric().generation().roster().remove(core);
                context.nic().counts().remove(DeviceLimit.MAX_CQ);
            }
        } finally {
            context.nic().fabric().controlLock().unlock();
        }
        // Waiting may be interrupted; closing again goes on from here.
        if (channel != null) {
            channel.forget(this);
            context.nic().waiting().await(
                    () -> unacknowledged.get() == 0 ? Boolean.TRUE : null, -1, channel.waiters());
        }
        context.awaitAcknowledged(this);
        detach();
    }

    private void refuseWhileUsed() {
        if (users > 0) {
            throw VerbsException.busy("completion queue", users + " queue pair(s)");
        }
    }

    private void detach() {
        context.nic().fabric().controlLock().lock();
        try {
            if (!detached) {
                detached = true;
                context.childClosed(this);
                if (channel != null) {
                    channel.queueRemoved();
                    if (bells != null) {
                        channel.ear().give(armedWord);
                    }
                }
            }
        } finally {
            context.nic().fabric().controlLock().unlock();
        }
    }
}
