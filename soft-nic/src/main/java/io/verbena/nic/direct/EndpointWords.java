package io.verbena.nic.direct;

import io.verbena.verbs.QueuePairState;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** What of an {@link Endpoint} several threads change at the same time; fields, not objects, to keep it small. */
abstract class EndpointWords extends Progress.Item {
    private static final VarHandle STATE;
    private static final VarHandle ARRIVING;

    volatile QueuePairState state = QueuePairState.RESET;
    /** Datagrams being delivered here. */
    volatile int arriving;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            STATE = lookup.findVarHandle(EndpointWords.class, "state", QueuePairState.class);
            ARRIVING = lookup.findVarHandle(EndpointWords.class, "arriving", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final boolean changeState(QueuePairState from, QueuePairState to) {
        return STATE.compareAndSet(this, from, to);
    }

    final void addArriving(int more) {
        ARRIVING.getAndAdd(this, more);
    }
}
