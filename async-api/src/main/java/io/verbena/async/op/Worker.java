package io.verbena.async.op;

import io.verbena.async.memory.MonotonicClock;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A thread that tells of what has completed on some connections, each in order, so that whoever drives completions is
 * not held up by those who are told. Who waits on this thread for a future goes on with what it has to do meanwhile.
 */
public final class Worker {
    private static final System.Logger LOG = System.getLogger(Worker.class.getName());
    private static final int SPINS = 500;
    private static final int MAX_COMPLETIONS = 32;
    private static final long PARK_NANOS = 50_000;
    private static final long CLOSE_SECONDS = 5;
    private static final VarHandle LISTED;

    static {
        try {
            LISTED = MethodHandles.lookup().findVarHandle(Worker.class, "listed", Handover.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Tells what runs here from other threads. */
    private static final class Runner extends Thread {
        private final Worker worker;

        Runner(Worker worker, String name) {
            super(worker::run, name);
            this.worker = worker;
            setDaemon(true);
        }
    }

    private final Runner thread;
    private volatile Handover listed;
    private volatile boolean idle;
    private volatile boolean ending;
    // Below: this thread only.
    private Handover toDo;
    private Handover current;

    /**
     * Starts one.
     *
     * @param name what to call its thread
     */
    public Worker(String name) {
        thread = new Runner(this, name);
        thread.start();
    }

    /** The worker whose thread calls; null on other threads. */
    static Worker mine() {
        return Thread.currentThread() instanceof Runner runner ? runner.worker : null;
    }

    /**
     * Goes on with what there is to do, if the thread that calls is a worker: before it waits for something that may
     * have to be done by itself.
     */
    public static void help() {
        Worker mine = mine();
        if (mine != null) {
            mine.doSome();
        }
    }

    void list(Handover handover) {
        Handover before;
        do {
            before = listed;
            handover.nextListed = before;
        } while (!LISTED.compareAndSet(this, before, handover));
        if (idle) {
            LockSupport.unpark(thread);
        }
    }

    /** The next one, in the order of listing; null when there is none. */
    private Handover next() {
        if (toDo == null && listed != null) {
            Handover reversed = (Handover) LISTED.getAndSet(this, null);
            while (reversed != null) {
                Handover below = reversed.nextListed;
                reversed.nextListed = toDo;
                toDo = reversed;
                reversed = below;
            }
        }
        Handover first = toDo;
        if (first != null) {
            toDo = first.nextListed;
            first.nextListed = null;
        }
        return first;
    }

    private void run() {
        for (int spins = 0; ; ) {
            Handover next = next();
            if (next != null) {
                spins = 0;
                doTurn(next);
            } else if (ending) {
                return;
            } else if (spins++ < SPINS) {
                Thread.onSpinWait();
            } else {
                sleep();
            }
        }
    }

    private void sleep() {
        idle = true;
        if (listed == null && !ending) {
            LockSupport.park(this);
        }
        idle = false;
    }

    private void doTurn(Handover handover) {
        Handover outer = current;
        current = handover;
        try {
            handover.turn();
        } catch (RuntimeException | Error e) {
            LOG.log(System.Logger.Level.ERROR, "what was told on " + thread.getName() + " threw; it goes on", e);
        } finally {
            current = outer;
        }
    }

    private boolean doSome() {
        Handover mine = current;
        boolean some = mine != null && mine.empty(1);
        Handover next = next();
        if (next != null) {
            doTurn(next);
            some = true;
        }
        return some;
    }

    /** Waits for something on this worker's thread: does what there is to do, and drives, as long as it takes. */
    boolean await(Poller poller, Waiter waiter, long deadline) throws InterruptedException {
        while (true) {
            boolean some = doSome();
            some |= poller.drive(MAX_COMPLETIONS) > 0;
            if (waiter.isDone()) {
                return true;
            }
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            if (MonotonicClock.nanos() >= deadline) {
                return waiter.isDone();
            }
            if (!some) {
                if (poller.isMine()) {
                    Thread.onSpinWait();
                } else {
                    LockSupport.parkNanos(this, PARK_NANOS);
                }
            }
        }
    }

    /**
     * Ends it once there is nothing to do; waits for that, but for five seconds at most, and not on a worker's thread.
     */
    public void close() {
        ending = true;
        LockSupport.unpark(thread);
        if (mine() == this) {
            return;
        }
        boolean interrupted = false;
        try {
            thread.join(TimeUnit.SECONDS.toMillis(CLOSE_SECONDS));
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
