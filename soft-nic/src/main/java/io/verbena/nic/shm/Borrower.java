package io.verbena.nic.shm;

import io.verbena.nic.os.OsException;
import io.verbena.nic.os.ProcessLife;
import io.verbena.nic.os.UnixSocket;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A process that uses this NIC, with what it may write to. Its end is known from its socket and its process; when it
 * neither ends nor goes on, it is evicted, see {@link Eviction}.
 */
final class Borrower {
    private static final long LOOK_NS = 1_000_000;

    /** Where its requesters write; under the control lock. */
    final Set<Inbox> inboxes = new HashSet<>();
    /** What it has been given to map; under the control lock. */
    final Set<SharedPages> lent = new HashSet<>();
    private final UnixSocket socket;
    private final ProcessLife process;
    private final Consumer<Borrower> evictor;
    private boolean doomed;
    private volatile boolean left;
    private volatile boolean harmless;
    private volatile long lookedAt;

    /**
     * Takes note of who has attached.
     *
     * @param evictor has it evicted by another thread
     */
    Borrower(UnixSocket socket, Consumer<Borrower> evictor) throws OsException {
        this.socket = socket;
        this.evictor = evictor;
        process = ProcessLife.of(socket.peer().pid());
    }

    /** It was waited for in vain. */
    void giveUp() {
        synchronized (this) {
            if (doomed) {
                return;
            }
            doomed = true;
        }
        evictor.accept(this);
    }

    /** Whether nobody is to wait for it any more, since it is evicted. */
    synchronized boolean isDoomed() {
        return doomed;
    }

    /** Whether nothing that its threads still do reaches anything here. */
    boolean isHarmless() {
        return harmless || left && isDead();
    }

    private boolean isDead() {
        // A socket may be closed by a process that goes on for a while: by its end the system tells, some time.
        long now = System.nanoTime();
        if (now - lookedAt >= LOOK_NS) {
            lookedAt = now;
            if (!process.mayRun()) {
                harmless = true;
            }
        }
        return harmless;
    }

    /** Its end of the socket was closed, which may be the end of its process. */
    void leave() {
        lookedAt = System.nanoTime() - LOOK_NS;
        left = true;
    }

    /** Hangs up. */
    void hangUp() {
        socket.close();
    }

    /** Its memory was taken from it, or it was seen to be at work on none. */
    void setHarmless() {
        harmless = true;
    }
}
