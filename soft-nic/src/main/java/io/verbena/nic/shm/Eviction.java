package io.verbena.nic.shm;

import io.verbena.nic.direct.Fabric;
import io.verbena.nic.direct.ForeignUser;
import io.verbena.nic.memory.Fences;
import io.verbena.nic.memory.Guard;
import io.verbena.nic.os.OsException;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Cuts off a process that was waited for in vain, and sees to it that what it writes when it goes on reaches nothing
 * here. One at a time, on a thread of its own.
 *
 * <p>First its connections fail, with a word on the board that its requesters look at when a data call ends. If none
 * of them is in the middle of one, that is all: they find it before the next. Else the memory that it has mapped gets
 * other pages. Others who have mapped the same memory lose it too; what they have in flight is waited for before, so
 * that it is in the copy.
 */
final class Eviction {
    private static final System.Logger LOG = System.getLogger("io.verbena.nic");

    private final Neighbourhood nic;
    private final Board board;

    Eviction(Neighbourhood nic, Board board) {
        this.nic = nic;
        this.board = board;
    }

    /** Evicts a process; without the control lock. */
    void run(Borrower evicted) {
        try {
            cutOff(evicted);
            if (!isAtWork(evicted) || withdraw(evicted)) {
                evicted.setHarmless();
            }
        } catch (RefusedException e) {
            LOG.log(System.Logger.Level.DEBUG, "a process was to be cut off while this NIC is being closed", e);
        }
    }

    private void cutOff(Borrower evicted) throws RefusedException {
        evicted.hangUp();
        ReentrantLock lock = nic.lockUnlessClosed();
        try {
            List.copyOf(evicted.inboxes).forEach(Inbox::cutOff);
        } finally {
            lock.unlock();
        }
        // What its requesters looked at before this barrier, they have written before it too.
        Fabric.LOCAL.generation().bump();
        Fences.heavy();
    }

    /** Whether one of its requesters is in the middle of a data call. */
    private boolean isAtWork(Borrower evicted) throws RefusedException {
        ReentrantLock lock = nic.lockUnlessClosed();
        try {
            return evicted.inboxes.stream().anyMatch(inbox -> !Guard.hasEnded(inbox.sample(), inbox.sample()));
        } finally {
            lock.unlock();
        }
    }

    /** Takes all memory from it; false when there is no other memory to go on with. */
    private boolean withdraw(Borrower evicted) throws RefusedException {
        List<SharedPages> taken;
        List<Inbox> others;
        boolean all = true;
        ReentrantLock lock = nic.lockUnlessClosed();
        try {
            taken = evicted.lent.stream().filter(SharedPages::beginWithdrawal).toList();
            board.countWithdrawal();
            others = nic.inboxes();
        } finally {
            lock.unlock();
        }
        try {
            Fabric.LOCAL.generation().bump();
            Fences.heavy();
            others.forEach(Eviction::await);
            // Completions first: one that is there tells of bytes that are there too.
            all = separateInboxes(evicted);
            for (SharedPages pages : taken) {
                all &= separate(pages::separate);
            }
        } finally {
            end(taken);
        }
        return all;
    }

    /** Waits for a requester of another process, which may turn out to be the next to be evicted. */
    private static void await(Inbox other) {
        ForeignUser user = other;
        long start = System.nanoTime();
        long sample = user.sample();
        for (int spins = 0; !user.hasEnded(sample) && !other.isDoomed(); spins++) {
            if (System.nanoTime() - start >= user.patienceNs()) {
                user.giveUp();
            }
            Guard.pause(spins);
        }
    }

    private boolean separateInboxes(Borrower evicted) throws RefusedException {
        ReentrantLock lock = nic.lockUnlessClosed();
        try {
            boolean all = true;
            for (Inbox inbox : evicted.inboxes) {
                all &= separate(inbox::separate);
            }
            return all;
        } finally {
            lock.unlock();
        }
    }

    /** Gives some memory other pages. */
    private interface Separation {
        void run() throws OsException;
    }

    private static boolean separate(Separation separation) {
        try {
            separation.run();
            return true;
        } catch (OsException e) {
            LOG.log(System.Logger.Level.ERROR, "memory could not be taken from a process that is stopped in the"
                    + " middle of a transfer; control calls wait until it goes on or ends", e);
            return false;
        }
    }

    private void end(List<SharedPages> taken) throws RefusedException {
        ReentrantLock lock = nic.lockUnlessClosed();
        try {
            taken.forEach(SharedPages::endWithdrawal);
            Fabric.LOCAL.turnEnded();
        } finally {
            lock.unlock();
        }
    }
}
