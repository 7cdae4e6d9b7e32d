package io.verbena.async.op;

import io.verbena.async.memory.MonotonicClock;
import io.verbena.verbs.CompletionQueue;
import java.util.concurrent.locks.LockSupport;

/** The thread of a poller. It stays out of the way while callers drive, and sleeps as its mode says. */
final class PollerThread {
    private static final System.Logger LOG = System.getLogger(PollerThread.class.getName());
    private static final int MAX_COMPLETIONS = 64;
    private static final int SPINS = 2_000;
    private static final int YIELDS = 50;
    private static final long REST_NANOS = 200_000;
    private static final long LONGEST_SLEEP_NANOS = 10_000_000;

    private final Poller poller;
    private final PollMode mode;
    private final Thread thread;
    private volatile boolean running = true;
    private volatile boolean resting;
    private volatile int callers;
    private int callersSeen;

    PollerThread(Poller poller, PollMode mode, String name) {
        this.poller = poller;
        this.mode = mode;
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
    }

    void stop() {
        running = false;
        LockSupport.unpark(thread);
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
            long wake = Math.min(poller.nextDue(), now + LONGEST_SLEEP_NANOS);
            CompletionQueue event = poller.channel().get(Math.max(0, wake - now));
            if (event != null) {
                event.acknowledge(1);
            }
        }
    }
}
