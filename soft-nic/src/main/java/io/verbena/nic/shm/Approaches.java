package io.verbena.nic.shm;

import io.verbena.nic.counters.NicCounters;
import io.verbena.nic.direct.Endpoint;
import io.verbena.nic.direct.Fabric;
import io.verbena.nic.direct.Path;
import io.verbena.nic.direct.Peer;
import io.verbena.nic.os.OsException;
import io.verbena.verbs.Gid;
import io.verbena.verbs.QueuePairType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The ways from one NIC to those that its queue pairs are connected to. Connecting asks another process and may take a
 * while, so it is done with no other lock than that of the {@link Approach} to it, by whoever modifies a queue pair,
 * and again by a thread whenever a peer shows itself later.
 */
final class Approaches {
    private static final System.Logger LOG = System.getLogger("io.verbena.nic");
    private static final long WAY_BACK_NS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long WAY_BACK_LOOK_NS = TimeUnit.MICROSECONDS.toNanos(20);

    private final Neighbourhood nic;
    private final Errands errands;
    private final NicCounters uncounted = NicCounters.open("elsewhere", null);
    private final ConcurrentHashMap<Gid, Approach> approaches = new ConcurrentHashMap<>();
    private final Set<RemotePeer> peers = new HashSet<>();
    /** Those that are to be looked after, and the same with those for whom somebody is on the way. */
    private final Set<Endpoint> seekers = new HashSet<>();
    private final Set<Endpoint> expecting = ConcurrentHashMap.newKeySet();

    /**
     * Knows nobody.
     *
     * @param nic the own NIC
     * @param errands what may take a while
     */
    Approaches(Neighbourhood nic, Errands errands) {
        this.nic = nic;
        this.errands = errands;
    }

    /** Connects a queue pair some time soon; see {@link Neighbourhood#seek}. */
    void seek(Endpoint seeker) {
        synchronized (seekers) {
            if (!seekers.add(seeker)) {
                return;
            }
            expecting.add(seeker);
        }
        Path path = seeker.path();
        errands.add(path == null ? nic.gid() : path.remoteGid(), () -> {
            synchronized (seekers) {
                seekers.remove(seeker);
            }
            try {
                find(seeker);
            } finally {
                synchronized (seekers) {
                    if (!seekers.contains(seeker)) {
                        expecting.remove(seeker);
                    }
                }
            }
        });
    }

    /** Whether a queue pair is to be connected, or is being connected. */
    boolean isSeeking(Endpoint seeker) {
        return expecting.contains(seeker);
    }

    /**
     * Connects a queue pair to its peer in another process, if it has one there that is ready; without any lock held.
     *
     * @param endpoint the queue pair
     */
    void connect(Endpoint endpoint) {
        find(endpoint);
        // A reliable one tries again.
        if (endpoint.type() == QueuePairType.UC) {
            awaitWayBack(endpoint);
        }
    }

    private void find(Endpoint endpoint) {
        Path path = endpoint.path();
        if (!needs(endpoint, path)) {
            return; // without the lock, which is held while another process is asked
        }
        Approach approach = approach(path.remoteGid());
        try {
            if (!nic.isClosed() && !approach.isSilent() && needs(endpoint, endpoint.path())
                    && isTo(endpoint.path(), path)) {
                giveBackAll(approach);
                attach(approach);
                Attachment.Lease<Message.QueuePairOpened> lease =
                        approach.nic.attachment().openQueuePair(path.remoteQpNum(), endpoint.qpNum());
                approach.noteAnswer();
                adopt(endpoint, path, approach.nic, lease);
            }
        } catch (IOException e) {
            boolean silent = e instanceof RefusedException refused && refused.errno() == OsException.ETIMEDOUT;
            LOG.log(silent && approach.noteSilence() ? System.Logger.Level.WARNING : System.Logger.Level.DEBUG,
                    "the peer of a queue pair is not to be found in another process", e);
        } finally {
            approach.lock.unlock();
        }
    }

    private static boolean isTo(Path path, Path other) {
        return path.remoteQpNum() == other.remoteQpNum() && other.remoteGid().equals(path.remoteGid());
    }

    /** The way to an owner, locked. */
    private Approach approach(Gid owner) {
        for (;;) {
            Approach approach = approaches.computeIfAbsent(owner, Approach::new);
            approach.lock.lock();
            if (!approach.closed) {
                return approach;
            }
            approach.lock.unlock();
        }
    }

    /** Waits until the peer can send, too, so that its first messages are not lost. */
    private static void awaitWayBack(Endpoint endpoint) {
        long end = System.nanoTime() + WAY_BACK_NS;
        while (endpoint.abroad().peer() != null && !endpoint.abroad().isFound() && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(WAY_BACK_LOOK_NS);
        }
    }

    private static boolean needs(Endpoint endpoint, Path path) {
        boolean addressed = path != null && path.remoteGid() != null && endpoint.type() != QueuePairType.UD;
        return addressed && endpoint.abroad().peer() == null && endpoint.isServing()
                && Fabric.LOCAL.find(path.remoteGid(), path.remoteQpNum()) == null;
    }

    private void attach(Approach approach) throws IOException {
        RemoteNic known = approach.nic;
        if (known != null && !known.isGone()) {
            return;
        }
        if (known != null) {
            approach.nic = null;
            closeIfUnused(known);
        }
        Attachment attachment = nic.attach(approach.owner, this::gone);
        try {
            approach.nic = new RemoteNic(attachment, uncounted, errand -> errands.add(approach.owner, errand));
        } catch (RefusedException e) {
            attachment.close();
            throw e;
        }
    }

    private void adopt(Endpoint endpoint, Path path, RemoteNic nic, Attachment.Lease<Message.QueuePairOpened> lease)
            throws RefusedException {
        boolean adopted = false;
        ReentrantLock lock = null;
        try {
            lock = this.nic.lockUnlessClosed();
            if (needs(endpoint, endpoint.path()) && isTo(endpoint.path(), path)) {
                RemotePeer peer = new RemotePeer(nic, endpoint, path.remoteQpNum(), lease);
                synchronized (peers) {
                    peers.add(peer);
                }
                peer.sayReady(); // before anybody can find it outdated
                endpoint.abroad().peer(peer);
                adopted = true;
            }
        } finally {
            if (lock != null) {
                lock.unlock();
            }
            if (!adopted) {
                lease.close();
                errands.add(nic.gid(), () -> giveBack(nic, path.remoteQpNum(), endpoint.qpNum()));
            }
        }
    }

    /** Gives back the connections that were left, and lets go of the process if it is gone; under its lock. */
    private void giveBackAll(Approach approach) {
        for (RemotePeer left = approach.leaving.poll(); left != null; left = approach.leaving.poll()) {
            if (!left.nic().isGone()) {
                giveBack(left.nic(), left.qpNum(), left.user().qpNum());
            }
            if (left.nic() != approach.nic) {
                closeIfUnused(left.nic());
            }
        }
        RemoteNic nic = approach.nic;
        if (nic != null && closeIfUnused(nic)) {
            approach.nic = null;
        }
    }

    /** Unmaps what no queue pair needs; true when nothing is left of it, because it is gone. */
    private boolean closeIfUnused(RemoteNic nic) {
        synchronized (peers) {
            if (peers.stream().anyMatch(peer -> peer.nic() == nic)) {
                return false;
            }
        }
        if (nic.isGone()) {
            nic.close();
            return true;
        }
        nic.forgetRegions();
        return false;
    }

    private void visit(Gid owner) {
        Approach approach = approach(owner);
        try {
            giveBackAll(approach);
            approach.closed = approaches.computeIfPresent(owner, (key, found) ->
                    found.nic == null && found.leaving.isEmpty() ? null : found) == null;
        } finally {
            approach.lock.unlock();
        }
    }

    private static void giveBack(RemoteNic nic, int qpNum, int ownQpNum) {
        try {
            nic.attachment().closeQueuePair(qpNum, ownQpNum);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "a connection could not be given back", e);
        }
    }

    /** A connection is over; see {@link Neighbourhood#leave}. */
    void leave(Peer peer) {
        if (peer instanceof RemotePeer left) {
            synchronized (peers) {
                peers.remove(left);
            }
            left.close();
            Gid owner = left.nic().gid();
            approaches.compute(owner, (key, found) -> {
                Approach approach = found == null ? new Approach(key) : found;
                approach.leaving.add(left);
                return approach;
            });
            errands.add(owner, () -> visit(owner));
        }
    }

    /** A process has ended; by the service's thread. */
    private void gone(Attachment ended) {
        List<RemotePeer> left = new ArrayList<>();
        synchronized (peers) {
            peers.stream().filter(peer -> peer.nic().attachment() == ended).forEach(left::add);
        }
        try {
            ReentrantLock lock = nic.lockUnlessClosed();
            try {
                left.forEach(peer -> peer.user().abroad().gone(peer));
            } finally {
                lock.unlock();
            }
        } catch (RefusedException e) {
            LOG.log(System.Logger.Level.DEBUG, "a process has ended while this NIC is being closed", e);
        }
        errands.add(ended.owner(), () -> visit(ended.owner()));
    }

    /** Lets go of all; when nobody is asked any more. */
    void close() {
        approaches.values().forEach(this::close);
    }

    private void close(Approach approach) {
        approach.lock.lock();
        try {
            giveBackAll(approach);
            if (approach.nic != null) {
                approach.nic.close();
            }
        } finally {
            approach.lock.unlock();
        }
    }
}
