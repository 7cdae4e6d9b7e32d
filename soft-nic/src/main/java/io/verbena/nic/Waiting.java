package io.verbena.nic;

import io.verbena.nic.direct.Progress;
import io.verbena.nic.os.Sleeper;
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
    private final NicConfig.WaitMode mode;

    Waiting(Progress progress, Waiters deadlineWaiters, NicConfig.WaitMode mode) {
        this.progress = progress;
        this.deadlineWaiters = deadlineWaiters;
        this.mode = mode;
    }

    /** Waits for something that comes from this process; see {@link #await(Supplier, long, Waiters, Ear)}. */
    <T> T await(Supplier<T> take, long timeoutNanos, Waiters waiters) {
        return await(take, timeoutNanos, waiters, null);
    }

    /**
     * Waits until something is there.
     *
     * @param take returns it, or null; called often
     * @param timeoutNanos 0 tries once, negative waits without end
     * @param waiters woken when something may be there
     * @param ear how other processes are heard, which take then looks for as well; null when nothing comes from there
     * @return what take returned, or null when the time ran out
     */
    <T> T await(Supplier<T> take, long timeoutNanos, Waiters waiters, Ear ear) {
        long start = System.nanoTime();
        for (int spins = mode == NicConfig.WaitMode.SLEEP ? SPINS : 0; ; spins++) {
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
            if (mode == NicConfig.WaitMode.SPIN) {
                spins = 0;
                continue;
            }
            taken = sleep(take, left, waiters, ear);
            if (taken != null) {
                return taken;
            }
        }
    }

    private <T> T sleep(Supplier<T> take, long leftNs, Waiters waiters, Ear ear) {
        Sleeper sleeper = ear == null ? null : ear.sleeper();
        Object self = sleeper == null ? Thread.currentThread() : sleeper;
        int place = waiters.enter(self);
        int deadlinePlace = deadlineWaiters.enter(self);
        boolean heard = ear == null || ear.listen(sleeper);
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
            if (wait > 0 && heard) {
                progress.handOver();
                rest(sleeper, wait);
            }
            return null;
        } finally {
            if (ear != null) {
                ear.ignore(sleeper);
            }
            deadlineWaiters.leave(deadlinePlace);
            waiters.leave(place);
        }
    }

    private void rest(Sleeper sleeper, long nanos) {
        if (sleeper == null) {
            LockSupport.parkNanos(this, nanos);
        } else {
            sleeper.await(nanos);
        }
    }
}
