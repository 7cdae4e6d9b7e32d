package io.verbena.async.op;

import io.verbena.async.memory.MonotonicClock;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/** The thread of a poller. It stays out of the way while callers drive, and sleeps as its mode says. */
final class PollerThread {
    private static final System.Logger LOG = System.getLogger(PollerThread.class.getName());
    private static final int MAX_COMPLETIONS = 64;
    private static final int SPINS = 2_000;
    private static final int YIELDS = 50;
    private static final long REST_NANOS = 200_000;
    private static final long LONGEST_SLEEP_NANOS = 10_000_000;

    private static final int AWAKE = 0;
    private static final int ASLEEP = 1;
    /** Somebody is about to interrupt it, and says AWAKE once he has. */
    private static final int BEING_WOKEN = 2;
    private static final VarHandle SLEEP;

    static {
        try {
            SLEEP = MethodHandles.lookup().findVarHandle(PollerThread.class, "sleep", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Poller poller;
    private final PollMode mode;
    private final long longestSleepNanos;
    private final Thread thread;
    private volatile boolean running = true;
    private volatile boolean resting;
    private volatile int callers;
    private volatile int sleep;
    /** When it wakes by itself; written before it falls asleep. */
    private long wakesAt;
    private int callersSeen;

    PollerThread(Poller poller, PollMode mode, String name) {
        this(poller, mode, name, LONGEST_SLEEP_NANOS);
    }

    PollerThread(Poller poller, PollMode mode, String name, long longestSleepNanos) {
        this.poller = poller;
        this.mode = mode;
        this.longestSleepNanos = longestSleepNanos;
        thread = Thread.ofPlatform().daemon().name(name).unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    /** A caller drives. Written without order by several at times: any change is as good. */
    void noteCaller() {
        callers = callers + 1;
    }

    /** Callers leave it to the thread now. */
    void awake() {
        if (resting) {
            LockSupport.unpark(thread);
        }
    }

    /** There is something to do; whoever asked may not drive. */
    void noteWork() {
        awake();
        wake();
    }

    /** Something is due by then, perhaps earlier than it meant to wake. */
    void noteDue(long time) {
        if (sleep == ASLEEP && time < wakesAt) {
            wake();
        }
    }

    /** The channel has no other means to end a sleep than an interrupt, which is kept to the sleep. */
    private void wake() {
        if (sleep == ASLEEP && SLEEP.compareAndSet(this, ASLEEP, BEING_WOKEN)) {
            thread.interrupt();
            sleep = AWAKE;
        }
    }

    /** Whether it sleeps until something completes, somebody wakes it, or something is due. */
    boolean isAsleep() {
        return sleep == ASLEEP;
    }

    void stop() {
        running = false;
        LockSupport.unpark(thread);
        wake();
        boolean interrupted = false;
        while (thread.isAlive() && Thread.currentThread() != thread) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        int idle = 0;
        while (running) {
            try {
                int taken = poller.drive(MAX_COMPLETIONS);
                if (taken > 0) {
                    idle = 0;
                    continue;
                }
                idle = taken == Poller.BUSY || mode == PollMode.BUSY_SPIN ? 0 : idle + 1;
                pause(idle);
            } catch (RuntimeException | Error e) {
                // A fault of ours or of the device: say so, and go on for the other connections.
                LOG.log(System.Logger.Level.ERROR, "poller " + thread.getName() + " failed and goes on", e);
            }
        }
    }

    private void pause(int idle) {
        if (mode == PollMode.BUSY_SPIN) {
            Thread.onSpinWait();
            return;
        }
        int seen = callers;
        if (seen != callersSeen) {
            callersSeen = seen;
            resting = true;
            if (running) {
                LockSupport.parkNanos(this, REST_NANOS);
            }
            resting = false;
        } else if (mode == PollMode.ADAPTIVE && idle < SPINS) {
            Thread.onSpinWait();
        } else if (mode == PollMode.ADAPTIVE && idle < SPINS + YIELDS) {
            Thread.yield();
        } else {
            sleep();
        }
    }

    private void sleep() {
        if (!poller.claim()) {
            return;
        }
        boolean empty;
        try {
            // Between the last look and arming something may have come that makes no event: look again.
            empty = poller.arm() && poller.turn(MAX_COMPLETIONS) == 0 && !poller.hasWork();
        } finally {
            poller.release();
        }
        if (empty) {
            long now = MonotonicClock.nanos();
            wakesAt = now + longestSleepNanos;
            sleep = ASLEEP;
            try {
                // What came before it was seen to sleep wakes nobody: look again.
                long wake = Math.min(poller.nextDue(), wakesAt);
                if (!poller.wantsTurn() && running) {
                    takeEvent(Math.max(0, wake - now));
                }
            } finally {
                if (!SLEEP.compareAndSet(this, ASLEEP, AWAKE)) {
                    endInterrupt();
                }
            }
        }
    }

    private void takeEvent(long nanos) {
        try {
            CompletionQueue event = poller.channel().get(nanos);
            if (event != null) {
                event.acknowledge(1);
            }
        } catch (VerbsException e) {
            if (e.errno() != Errno.EINTR) {
                throw e;
            }
        }
    }

    /** Whoever wakes it interrupts it now: callbacks are not to see that. */
    private void endInterrupt() {
        while (sleep != AWAKE) {
            Thread.onSpinWait();
        }
        Thread.interrupted();
    }
}
