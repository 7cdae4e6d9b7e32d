package io.verbena.async.memory;

import io.verbena.verbs.MemoryRegion;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A range of memory that peers may reach until a deadline or until it is revoked: a region of its own, so that its end
 * takes the key away for good, and its owner's memory stays taken as long as the key lives. Safe from any thread.
 */
public final class Grant {
    private final Grants grants;
    private final Root root;
    private final MemoryRegion region;
    private final int rights;
    private final Runnable onEnd;
    /** Held while the region is closed, so that whoever asks for the end gets an answer when it is over. */
    private final ReentrantLock ending = new ReentrantLock();
    private volatile long deadline;
    private volatile boolean ended;
    /** When the housekeeper looks at the deadline, which may be later by then; guarded by {@link #ending}. */
    private long nextLook = MonotonicClock.NEVER;
    /** Others of the same memory; guarded by the lock of {@link #grants}. */
    Grant next;

    Grant(Grants grants, Root root, MemoryRegion region, int rights, Runnable onEnd) {
        this.grants = grants;
        this.root = root;
        this.region = region;
        this.rights = rights;
        this.onEnd = onEnd;
        deadline = MonotonicClock.NEVER;
    }

    /**
     * What a peer calls the first byte.
     *
     * @return an address
     */
    public long address() {
        return region.address();
    }

    /**
     * How much a peer may reach.
     *
     * @return bytes
     */
    public long length() {
        return region.length();
    }

    /**
     * The key a peer presents.
     *
     * @return 32 bits
     */
    public int rkey() {
        return region.rkey();
    }

    /**
     * What a peer may do.
     *
     * @return remote bits of {@link io.verbena.verbs.Access}
     */
    public int rights() {
        return rights;
    }

    /**
     * When it ends by itself.
     *
     * @return by {@link MonotonicClock}
     */
    public long deadline() {
        return deadline;
    }

    /**
     * Whether the key is still valid.
     *
     * @return false once it was revoked
     */
    public boolean isActive() {
        return !ended;
    }

    /**
     * Sets another end.
     *
     * @param newDeadline by {@link MonotonicClock}, earlier or later than the old one
     * @return false when it has ended, which can't be undone
     */
    public boolean renew(long newDeadline) {
        ending.lock();
        try {
            if (ended) {
                return false;
            }
            deadline = newDeadline;
            lookBy(newDeadline);
            return true;
        } finally {
            ending.unlock();
        }
    }

    /** Sees to it that somebody looks when the deadline is over. Renewing does not add to what is waiting. */
    private void lookBy(long time) {
        if (time < nextLook) {
            nextLook = time;
            grants.lookAt(this, time);
        }
    }

    /** What the housekeeper does when a look is due. */
    void look(long time, long now) {
        if (end(now)) {
            return;
        }
        ending.lock();
        try {
            if (nextLook == time) {
                nextLook = MonotonicClock.NEVER;
                lookBy(deadline);
            }
        } finally {
            ending.unlock();
        }
    }

    /**
     * Takes the key away, waits for accesses that have begun, and lets go of the memory. When this returns, whichever
     * thread did it, no peer reaches the memory by this key. Revoking twice does nothing. Not from a handler of
     * completions: it may wait for whoever polls.
     */
    public void revoke() {
        end(MonotonicClock.NEVER);
    }

    /** Undoes one that nobody knows of yet. */
    void discard() {
        region.close();
        root.release(Loans.COUNTED, true);
    }

    /** Ends it if its deadline is not later than the time given; returns whether it is over. */
    boolean end(long now) {
        ending.lock();
        try {
            if (ended) {
                return true;
            }
            if (deadline > now) {
                return false;
            }
            region.close();
            ended = true;
        } finally {
            ending.unlock();
        }
        grants.remove(root, this);
        onEnd.run();
        root.release(Loans.COUNTED, true);
        return true;
    }
}
