package io.verbena.nic;

import io.verbena.nic.direct.Progress;
import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** How a thread waits for something: it drives the NIC, spins a little, then sleeps until woken or until a deadline. */
final class Waiting {
    private static final int SPINS = 500;
    /** How long a thread sleeps that found no place among the waiters. */
    private static final long PLACELESS_NS = 100_000;

    private final Progress progress;
    private final Waiters deadlineWaiters;

    Waiting(Progress progress, Waiters deadlineWaiters) {
        this.progress = progress;
        this.deadlineWaiters = deadlineWaiters;
    }

    /**
     * Waits until something is there.
     *
     * @param take returns it, or null; called often
     * @param timeoutNanos 0 tries once, negative waits without end
     * @param waiters woken when something may be there
     * @return what take returned, or null when the time ran out
     */
    <T> T await(Supplier<T> take, long timeoutNanos, Waiters waiters) {
        long start = System.nanoTime();
        for (int spins = 0; ; spins++) {
            progress.runIfPending();
            T taken = take.get();
            if (taken != null || timeoutNanos == 0) {
                return taken;
            }
            if (spins < SPINS) {
                Thread.onSpinWait();
                continue;
            }
            long left = timeoutNanos < 0 ? Long.MAX_VALUE : timeoutNanos - (System.nanoTime() - start);
            if (left <= 0) {
                return null;
            }
            if (Thread.interrupted()) {
                throw new VerbsException(Errno.EINTR, "thread", "the thread was interrupted while waiting");
            }
            taken = sleep(take, left, waiters);
            if (taken != null) {
                return taken;
            }
        }
    }

    private <T> T sleep(Supplier<T> take, long leftNs, Waiters waiters) {
        int place = waiters.enter();
        int deadlinePlace = deadlineWaiters.enter();
        try {
            T taken = take.get();
            if (taken != null) {
                return taken;
            }
            long due = progress.nextDeadline();
            long untilDue = due == Progress.NEVER ? Long.MAX_VALUE : due == 0 ? 0 : due - System.nanoTime();
            long wait = Math.min(leftNs, untilDue);
            if (place < 0 || deadlinePlace < 0) {
                wait = Math.min(wait, PLACELESS_NS);
            }
            if (wait > 0) {
                LockSupport.parkNanos(this, wait);
            }
            return null;
        } finally {
            deadlineWaiters.leave(deadlinePlace);
            waiters.leave(place);
        }
    }
}
