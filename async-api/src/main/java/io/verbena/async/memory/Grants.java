package io.verbena.async.memory;

import io.verbena.verbs.Access;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/** Everything that peers of a node may reach. Safe from any thread; may wait, so not for handlers of completions. */
public final class Grants {
    /** What an exposure can allow. */
    public static final int REMOTE = Access.REMOTE_READ | Access.REMOTE_WRITE | Access.REMOTE_ATOMIC;

    private final ProtectionDomain domain;
    private final Housekeeper housekeeper;
    private final ReentrantLock lock = new ReentrantLock();
    private final Set<Grant> active = new LinkedHashSet<>();
    private boolean closed;

    Grants(ProtectionDomain domain, Housekeeper housekeeper) {
        this.domain = domain;
        this.housekeeper = housekeeper;
    }

    /**
     * Lets peers of the node reach a range, until {@link Grant#renew} says otherwise without end.
     *
     * @param root the memory; it is not given back before the end
     * @param offset first byte
     * @param length bytes, 1 or more
     * @param rights some of {@link #REMOTE}
     * @param onEnd called once when it has ended, on whichever thread ends it; not called when this returns null
     * @return the grant, or null when the memory or the node is closed
     * @throws io.verbena.verbs.VerbsException when the device refuses the region
     */
    public Grant open(Root root, long offset, long length, int rights, Runnable onEnd) {
        if (root.acquireCounted(false) == Loans.CLOSED) {
            return null;
        }
        Grant grant = register(root, offset, length, rights, onEnd);
        lock.lock();
        try {
            // Whoever closes the memory marks it first and looks at its grants then: one of the two sees the other.
            grant.next = root.firstGrant;
            root.firstGrant = grant;
            if (!closed && !root.isClosed()) {
                active.add(grant);
                return grant;
            }
            root.firstGrant = grant.next;
        } finally {
            lock.unlock();
        }
        giveUp(grant);
        return null;
    }

    /**
     * Lets peers of the node read a range that an operation has borrowed, until it is revoked. Closing the memory does
     * not end it, since it is part of an operation under way.
     *
     * @param root the memory, of which the operation holds a loan; it is not given back before the end
     * @param offset first byte
     * @param length bytes, 1 or more
     * @return the grant, or null when the node is closed
     * @throws io.verbena.verbs.VerbsException when the device refuses the region
     */
    public Grant openLent(Root root, long offset, long length) {
        root.acquireAgain();
        Grant grant = register(root, offset, length, Access.REMOTE_READ, () -> { });
        lock.lock();
        try {
            if (!closed) {
                active.add(grant);
                return grant;
            }
        } finally {
            lock.unlock();
        }
        giveUp(grant);
        return null;
    }

    private Grant register(Root root, long offset, long length, int rights, Runnable onEnd) {
        boolean writes = (rights & (Access.REMOTE_WRITE | Access.REMOTE_ATOMIC)) != 0;
        try {
            MemoryRegion region = domain.register(root.segment().asSlice(offset, length),
                    rights | (writes ? Access.LOCAL_WRITE : 0));
            return new Grant(this, root, region, rights, onEnd);
        } catch (RuntimeException | Error e) {
            root.release(Loans.COUNTED, true);
            throw e;
        }
    }

    private static void giveUp(Grant grant) {
        grant.region.close();
        grant.root.release(Loans.COUNTED, true);
    }

    void lookAt(Grant grant, long time) {
        housekeeper.after(Math.max(0, time - MonotonicClock.nanos()),
                () -> grant.look(time, MonotonicClock.nanos()));
    }

    void remove(Root root, Grant grant) {
        lock.lock();
        try {
            active.remove(grant);
            if (root.firstGrant == grant) {
                root.firstGrant = grant.next;
                return;
            }
            for (Grant each = root.firstGrant; each != null; each = each.next) {
                if (each.next == grant) {
                    each.next = grant.next;
                    return;
                }
            }
        } finally {
            lock.unlock();
        }
    }

    void revokeAll(Root root) {
        List<Grant> all = new ArrayList<>();
        lock.lock();
        try {
            for (Grant each = root.firstGrant; each != null; each = each.next) {
                all.add(each);
            }
        } finally {
            lock.unlock();
        }
        all.forEach(Grant::revoke);
    }

    /**
     * How many there are.
     *
     * @return grants that have not ended
     */
    public int count() {
        lock.lock();
        try {
            return active.size();
        } finally {
            lock.unlock();
        }
    }

    void close() {
        List<Grant> all;
        lock.lock();
        try {
            closed = true;
            all = List.copyOf(active);
        } finally {
            lock.unlock();
        }
        all.forEach(Grant::revoke);
    }
}
