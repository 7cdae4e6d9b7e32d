package io.verbena.nic.wire;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Queue pairs that were rung for: any thread adds, the holder of the progress role takes all. */
final class Doorbells {
    private static final VarHandle TOP;

    private volatile WiredPair top;

    static {
        try {
            TOP = MethodHandles.lookup().findVarHandle(Doorbells.class, "top", WiredPair.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Adds a queue pair, if it is not there. */
    void ring(WiredPair pair) {
        if (!pair.setRung()) {
            return;
        }
        WiredPair first;
        do {
            first = top;
            pair.nextRung = first;
        } while (!TOP.compareAndSet(this, first, pair));
    }

    boolean isRung() {
        return top != null;
    }

    /** Takes all; the oldest first, joined by {@link WiredPair#nextRung}. */
    WiredPair takeAll() {
        WiredPair reversed = null;
        for (WiredPair pair = top == null ? null : (WiredPair) TOP.getAndSet(this, null); pair != null; ) {
            WiredPair below = pair.nextRung;
            pair.nextRung = reversed;
            reversed = pair;
            pair = below;
        }
        return reversed;
    }
}
