package io.verbena.nic;

import io.verbena.nic.direct.Progress;
import io.verbena.nic.direct.SharedReceives;
import io.verbena.nic.memory.Blocks;
import io.verbena.nic.ring.SharedLane;
import io.verbena.nic.ring.SharedQueue;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.DeviceLimit;
import io.verbena.verbs.Errno;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.ReceiveRequests;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.SharedReceiveQueueConfig;
import io.verbena.verbs.VerbsException;
import java.util.HashMap;
import java.util.Map;

/** A shared receive queue: the control side of a {@link SharedQueue}, with one lane for each completion queue. */
final class SoftSharedReceiveQueue implements SharedReceiveQueue {
    private final SoftProtectionDomain domain;
    private final SharedReceiveQueueConfig config;
    private final Blocks memory;
    private final SharedQueue queue;
    private final Progress progress;
    private final Map<SoftCompletionQueue, Lane> lanes = new HashMap<>();
    private int users;
    private volatile boolean closed;

    /** The way to one completion queue, and how many queue pairs take it. */
    private static final class Lane {
        private final SharedReceives receives;
        private int users;

        private Lane(SharedReceives receives) {
            this.receives = receives;
        }
    }

    SoftSharedReceiveQueue(SoftProtectionDomain domain, SharedReceiveQueueConfig config) {
        this.domain = domain;
        this.config = config;
        progress = domain.softContext().nic().progress();
        memory = domain.softContext().nic().newBlocks();
        queue = made(config);
    }

    private SharedQueue made(SharedReceiveQueueConfig wanted) {
        try {
            return new SharedQueue(wanted.maxWr(), wanted.maxSge(), this::limitReached, memory);
        } catch (OutOfMemoryError e) {
            memory.giveAll();
            throw e;
        }
    }

    static void check(SharedReceiveQueueConfig config) {
        checkCapacity(config.maxWr());
        long limit = NicLimits.limit(DeviceLimit.MAX_SRQ_SGE);
        if (config.maxSge() > limit) {
            throw VerbsException.invalid("maxSge", config.maxSge(), "1 to " + limit);
        }
    }

    private static void checkCapacity(int maxWr) {
        long limit = NicLimits.limit(DeviceLimit.MAX_SRQ_WR);
        if (maxWr < 1 || maxWr > limit) {
            throw VerbsException.invalid("maxWr", maxWr, "1 to " + limit);
        }
    }

    boolean isClosed() {
        return closed;
    }

    SoftContext softContext() {
        return domain.softContext();
    }

    private void limitReached() {
        domain.softContext().events().raise(
                sequence -> new AsyncEvent.SharedReceiveQueueEvent(sequence, true, this));
    }

    // Queue pairs that draw from it

    SharedReceives receivesFor(SoftCompletionQueue recvCq) {
        Lane lane = lanes.computeIfAbsent(recvCq, cq -> {
            Blocks own = softContext().nic().newBlocks();
            SharedLane made = new SharedLane(cq.core(), queue, own);
            cq.core().add(made, queue.places());
            return new Lane(new SharedReceives(queue, made, domain.number(), false, own));
        });
        lane.users++;
        users++;
        return lane.receives;
    }

    void receivesDone(SoftCompletionQueue recvCq) {
        users--;
        Lane lane = lanes.get(recvCq);
        if (--lane.users == 0) {
            lanes.remove(recvCq);
            recvCq.core().remove(lane.receives.lane(), queue.places());
            lane.receives.lane().drain();
            lane.receives.memory().giveAll();
        }
    }

    // Data path

    @Override
    public int postReceive(long wrId, long address, long length, int lkey) {
        progress.runIfPending();
        return queue.post(wrId, address, length, lkey);
    }

    @Override
    public int postReceive(ReceiveRequests requests) {
        if (requests == null) {
            throw VerbsException.invalid("requests", null, "a ReceiveRequests");
        }
        progress.runIfPending();
        for (int i = 0; i < requests.size(); i++) {
            int status = queue.post(requests, i);
            if (status != PostStatus.OK) {
                return requests.setRefused(i, status);
            }
        }
        return requests.setRefused(-1, closed && requests.size() == 0 ? PostStatus.CLOSED : PostStatus.OK);
    }

    // Control

    @Override
    public void setLimit(int limit) {
        domain.softContext().control(() -> {
            requireOpen();
            if (limit < 0 || limit > queue.places()) {
                throw VerbsException.invalid("limit", limit, "0 to " + queue.places());
            }
            queue.limit(limit);
            return null;
        });
    }

    @Override
    public void resize(int maxWr) {
        checkCapacity(maxWr);
        domain.softContext().control(() -> {
            requireOpen();
            if (maxWr < queue.limit()) {
                throw VerbsException.invalid("maxWr", maxWr, queue.limit() + " or more, the armed limit");
            }
            int before = queue.places();
            account(Math.max(0, maxWr - before));
            boolean done = false;
            try {
                lanes.values().forEach(lane -> lane.receives.lane().reserve(maxWr));
                done = queue.resize(maxWr);
            } catch (OutOfMemoryError e) {
                throw new VerbsException(Errno.ENOMEM, "maxWr", "there is not enough native memory for " + maxWr
                        + " receives; ask for less or close other objects");
            } finally {
                account(queue.places() - Math.max(before, maxWr));
            }
            if (!done) {
                throw VerbsException.invalid("maxWr", maxWr,
                        "not below the receives that are posted or wait to be polled");
            }
            return null;
        });
    }

    /** Tells the completion queues how many completions more may come. */
    private void account(int more) {
        lanes.keySet().forEach(cq -> cq.core().expect(more));
    }

    private void requireOpen() {
        if (closed) {
            throw VerbsException.closed("shared receive queue");
        }
    }

    @Override
    public int capacity() {
        return queue.places();
    }

    @Override
    public int maxSge() {
        return config.maxSge();
    }

    @Override
    public int limit() {
        return queue.limit();
    }

    @Override
    public ProtectionDomain protectionDomain() {
        return domain;
    }

    @Override
    public String toString() {
        return (closed ? "closed " : "") + "shared receive queue of " + queue.places() + " with "
                + queue.postedCount() + " posted";
    }

    @Override
    public void close() {
        domain.softContext().nic().fabric().controlLock().lock();
        try {
            if (!closed) {
                if (users > 0) {
                    throw VerbsException.busy("shared receive queue", users + " queue pair(s)");
                }
                closed = true;
                queue.close();
                if (queue.retire()) {
                    memory.giveAll();
                }
                domain.sharedReceiveQueueClosed();
            }
        } finally {
            domain.softContext().nic().fabric().controlLock().unlock();
        }
        // Waiting may be interrupted; closing again goes on from here.
        domain.softContext().awaitAcknowledged(this);
    }
}
