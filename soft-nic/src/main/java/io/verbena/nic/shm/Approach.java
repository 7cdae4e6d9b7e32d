package io.verbena.nic.shm;

import io.verbena.verbs.Gid;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** What one NIC knows of another process's: whoever asks it anything holds the lock, which nobody else has to. */
final class Approach {
    /** So long nobody asks a process again that gave no answer: many queue pairs wait for it as long as one. */
    private static final long SILENCE_NS = TimeUnit.SECONDS.toNanos(1);

    final Gid owner;
    final ReentrantLock lock = new ReentrantLock();
    /** Connections that were left and are to be given back. */
    final ConcurrentLinkedQueue<RemotePeer> leaving = new ConcurrentLinkedQueue<>();
    /** Null while this one is not attached to it; set under the lock. */
    volatile RemoteNic nic;
    /** Nobody finds it any more: look for another one; under the lock. */
    boolean closed;
    private boolean silent;
    private long silentSince;

    Approach(Gid owner) {
        this.owner = owner;
    }

    /** It gave no answer; true when that is news. Under the lock. */
    boolean noteSilence() {
        boolean news = !silent;
        silent = true;
        silentSince = System.nanoTime();
        return news;
    }

    /** It gave an answer; under the lock. */
    void noteAnswer() {
        silent = false;
    }

    /** Whether it is better not asked now; under the lock. */
    boolean isSilent() {
        return silent && System.nanoTime() - silentSince < SILENCE_NS;
    }
}
