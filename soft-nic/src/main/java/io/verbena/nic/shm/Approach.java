package io.verbena.nic.shm;

import io.verbena.verbs.Gid;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;

/** What one NIC knows of another process's: whoever asks it anything holds the lock, which nobody else has to. */
final class Approach {
    final Gid owner;
    final ReentrantLock lock = new ReentrantLock();
    /** Connections that were left and are to be given back. */
    final ConcurrentLinkedQueue<RemotePeer> leaving = new ConcurrentLinkedQueue<>();
    /** Null while this one is not attached to it; set under the lock. */
    volatile RemoteNic nic;
    /** Nobody finds it any more: look for another one; under the lock. */
    boolean closed;

    Approach(Gid owner) {
        this.owner = owner;
    }
}
