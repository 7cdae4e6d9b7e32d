package io.verbena.async.op;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Who parks and can be asked to drive. Anybody enters; only the holder of the driver's role takes out, which is why a
 * plain compare-and-set on the first is enough: what was read as the one behind it can't have left and come back.
 */
final class Line {
    private static final VarHandle FIRST;

    static {
        try {
            FIRST = MethodHandles.lookup().findVarHandle(Line.class, "first", Waiter.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile Waiter first;

    void enter(Waiter waiter) {
        if (!waiter.enter()) {
            return;
        }
        Waiter before;
        do {
            before = first;
            waiter.behind(before);
        } while (!FIRST.compareAndSet(this, before, waiter));
    }

    /** Takes one out that still waits; null when there is none. */
    Waiter leave() {
        // Most often it is empty, and a look costs a load: opaque.
        if (FIRST.getOpaque(this) == null) {
            return null;
        }
        while (true) {
            Waiter front = first;
            if (front == null) {
                return null;
            }
            if (!FIRST.compareAndSet(this, front, front.behind())) {
                continue;
            }
            front.behind(null);
            front.exit();
            if (!front.isDone()) {
                return front;
            }
        }
    }
}
