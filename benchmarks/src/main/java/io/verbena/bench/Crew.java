package io.verbena.bench;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * One thread for each {@link Side} of a test, which sleep between runs and start each run together. Used by one
 * coordinating thread. Nothing is allocated between start and end of a run.
 */
final class Crew implements AutoCloseable {
    private static final int PATIENCE = 1_000;
    private static final long DISMISS = -1;
    private static final long MAKE = Long.MAX_VALUE;

    private final Worker[] workers;
    private final StopFlag stop;
    private final Thread coordinator = Thread.currentThread();
    private final AtomicInteger arrivals = new AtomicInteger();
    private int runs;

    /** Starts the threads, which make their sides; the first failure is thrown. */
    Crew(StopFlag stop, Side.Maker... makers) {
        this.stop = stop;
        workers = new Worker[makers.length];
        for (int i = 0; i < makers.length; i++) {
            workers[i] = new Worker(i, makers[i]);
            workers[i].start();
        }
        try {
            awaitIdle();
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Lets every side do the same number of iterations; returns the nanoseconds the first one took. */
    long run(long count) {
        begin(count);
        return finish();
    }

    /** Has every side begin. */
    void begin(long count) {
        runs++;
        for (Worker worker : workers) {
            worker.order(count, runs * workers.length);
        }
    }

    /** Waits until every side is about to begin, or has failed. */
    void awaitBegun() {
        while (arrivals.get() < runs * workers.length && stop.cause() == null) {
            Thread.onSpinWait();
        }
    }

    /** Waits for the end of what was begun; returns the nanoseconds the first side took, 0 without sides. */
    long finish() {
        awaitIdle();
        return workers.length == 0 ? 0 : workers[0].nanos;
    }

    private void awaitIdle() {
        for (Worker worker : workers) {
            worker.awaitIdle();
        }
        Throwable cause = stop.cause();
        if (cause instanceof RuntimeException failure) {
            throw failure;
        } else if (cause != null) {
            throw new IllegalStateException("a measuring thread died: " + cause, cause);
        }
    }

    /** Ends the threads. */
    @Override
    public void close() {
        for (Worker worker : workers) {
            worker.order(DISMISS, 0);
        }
    }

    /** A thread that does what it is ordered to. */
    private final class Worker extends Thread {
        private final Side.Maker maker;
        private volatile long order = MAKE;
        private Side side;
        private int meeting;
        private long nanos;

        Worker(int index, Side.Maker maker) {
            super("perf-" + index);
            this.maker = maker;
            setDaemon(true);
        }

        void order(long count, int newMeeting) {
            meeting = newMeeting;
            order = count;
            LockSupport.unpark(this);
        }

        void awaitIdle() {
            while (order > 0) {
                LockSupport.park(Crew.this);
            }
        }

        @Override
        public void run() {
            long count;
            while ((count = order) != DISMISS) {
                if (count > 0) {
                    perform(count);
                    order = 0;
                    LockSupport.unpark(coordinator);
                } else {
                    LockSupport.park(Crew.this);
                }
            }
        }

        private void perform(long count) {
            try {
                if (count == MAKE) {
                    side = maker.make();
                    return;
                }
                meet();
                long start = System.nanoTime();
                side.run(count);
                nanos = System.nanoTime() - start;
            } catch (Throwable e) { // whatever it is, the other thread must not wait for ever
                stop.raise(e);
            }
        }

        private void meet() {
            arrivals.incrementAndGet();
            int idle = 0;
            while (arrivals.get() < meeting) {
                Thread.onSpinWait();
                if (++idle == PATIENCE) {
                    stop.check();
                    Thread.yield();
                    idle = 0;
                }
            }
        }
    }
}
