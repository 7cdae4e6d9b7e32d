package io.verbena.rc;

import io.verbena.rc.packet.Psn;
import io.verbena.rc.packet.Syndrome;

/**
 * How many messages the peer has receives for, as its acknowledgements tell (IBA 9.7.7.2). Messages are counted from 1;
 * until the peer says otherwise there is no limit.
 */
final class Credits {
    private final boolean heeded;
    private boolean limited;
    private long limit;
    private long begun;

    Credits(boolean heeded) {
        this.heeded = heeded;
    }

    /** Whether a message that takes a receive may begin now. */
    boolean allowNext() {
        return !heeded || !limited || begun + 1 <= limit;
    }

    void begin() {
        begun++;
    }

    /** What an acknowledge header says. */
    void update(int syndrome, int msn) {
        if (!heeded || Syndrome.kind(syndrome) != Syndrome.ACK) {
            return;
        }
        int receives = Syndrome.receives(Syndrome.value(syndrome));
        limited = receives >= 0;
        // The peer counts what it has completed, which is not more than what was begun.
        limit = begun + Psn.diff(msn, (int) begun) + receives;
    }
}
