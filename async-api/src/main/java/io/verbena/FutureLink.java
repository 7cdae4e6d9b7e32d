package io.verbena;

import io.verbena.async.op.Waiter;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/** Who waits for a future; made by the first thread that does not find it done after a turn of driving. */
final class FutureLink implements Waiter {
    private static final VarHandle THREAD;
    private static final VarHandle IN_LINE;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            THREAD = lookup.findVarHandle(FutureLink.class, "thread", Thread.class);
            IN_LINE = lookup.findVarHandle(FutureLink.class, "inLine", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final RdmaFuture<?> future;
    private volatile Thread thread;
    private volatile boolean inLine;
    private Waiter behind;

    FutureLink(RdmaFuture<?> future) {
        this.future = future;
    }

    @Override
    public boolean isDone() {
        return future.isDone();
    }

    @Override
    public boolean parks(Thread newThread) {
        if (newThread == null) {
            thread = null;
            return true;
        }
        return THREAD.compareAndSet(this, null, newThread);
    }

    @Override
    public void wake() {
        Thread parked = thread;
        if (parked != null) {
            LockSupport.unpark(parked);
        }
    }

    @Override
    public boolean enter() {
        return IN_LINE.compareAndSet(this, false, true);
    }

    @Override
    public void exit() {
        inLine = false;
    }

    @Override
    public Waiter behind() {
        return behind;
    }

    @Override
    public void behind(Waiter waiter) {
        behind = waiter;
    }
}
