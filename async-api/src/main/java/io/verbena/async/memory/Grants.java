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
        Grant grant = new Grant(this, root, register(root, offset, length, rights), rights, onEnd);
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
        grant.discard();
        return null;
    }

    /**
     * Lets a peer read a range for an operation that has a loan of it. Closing the memory neither prevents nor ends it:
     * like every operation that was started, this one goes on. Whoever opens it revokes it.
     *
     * @param root the memory; it is not given back before the end
     * @param offset first byte
     * @param length bytes, 1 or more
     * @return the grant, or null when the node is closed
     * @throws io.verbena.verbs.VerbsException when the device refuses the region
     */
    public Grant openForOperation(Root root, long offset, long length) {
        root.acquireMore();
        Grant grant = new Grant(
                this, root, register(root, offset, length, Access.REMOTE_READ), Access.REMOTE_READ, () -> { });
        lock.lock();
        try {
            // It is not on the list of the memory, which is that of the grants that end with it.
            if (!closed) {
                active.add(grant);
                return grant;
            }
        } finally {
            lock.unlock();
        }
        grant.discard();
        return null;
    }

    private MemoryRegion register(Root root, long offset, long length, int rights) {
        boolean writes = (rights & (Access.REMOTE_WRITE | Access.REMOTE_ATOMIC)) != 0;
        try {
            return domain.register(root.segment().asSlice(offset, length), rights | (writes ? Access.LOCAL_WRITE : 0));
        } catch (RuntimeException | Error e) {
            root.release(Loans.COUNTED, true);
            throw e;
        }
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
