package io.verbena.nic.shm;

import io.verbena.nic.counters.NicCounters;
import io.verbena.nic.direct.Endpoint;
import io.verbena.nic.direct.Fabric;
import io.verbena.nic.direct.Neighbours;
import io.verbena.nic.direct.Path;
import io.verbena.nic.direct.Peer;
import io.verbena.nic.os.MemoryFile;
import io.verbena.nic.os.OsException;
import io.verbena.rc.memory.MemorySlot;
import io.verbena.rc.memory.MemoryTable;
import io.verbena.verbs.Errno;
import io.verbena.verbs.Gid;
import io.verbena.verbs.QueuePairType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The NICs of other processes around one NIC: serves them what it exports, and attaches to those that its queue pairs
 * are connected to. Connecting asks another process and may take a while, so it is done with no other lock than its
 * own, by whoever modifies a queue pair, and again by a thread of its own whenever a peer shows itself later.
 */
public final class Neighbourhood implements Neighbours, Exports, AutoCloseable {
    private static final System.Logger LOG = System.getLogger("io.verbena.nic");
    private static final int ENOENT = Errno.ENOENT.number();
    private static final int EOPNOTSUPP = Errno.EOPNOTSUPP.number();
    private static final int STOP_MS = 5_000;
    private static final int LOOK_MS = 10;

    private final Gid gid;
    private final Board board;
    private final MemoryTable table;
    private final RegionSource source;
    private final Bells bells;
    private final NicCounters uncounted = NicCounters.open("elsewhere", null);
    private final AttachmentService service;
    private final ReentrantLock connecting = new ReentrantLock();
    private final Map<Gid, RemoteNic> nics = new HashMap<>();
    private final Set<RemotePeer> peers = new HashSet<>();
    private final Set<Endpoint> seekers = new HashSet<>();
    private final ConcurrentLinkedQueue<RemotePeer> leaving = new ConcurrentLinkedQueue<>();
    private final LinkedBlockingQueue<Runnable> errands = new LinkedBlockingQueue<>();
    private final Thread messenger;
    private volatile boolean closed;

    /** Finds the memory file that a region lies in. */
    public interface RegionSource {
        /**
         * Finds memory; under the control lock.
         *
         * @param number of the region
         * @return where it lies; null when it can't be handed over
         */
        Share find(int number);
    }

    /**
     * Memory that may be handed over.
     *
     * @param memory the allocation
     * @param start where in it the region starts
     * @param bytes how long the region is
     */
    public record Share(MemoryFile memory, long start, long bytes) {}

    /**
     * Starts to serve.
     *
     * @param gid the address of the NIC
     * @param uid the user of this process
     * @param board what others may read
     * @param table the NIC's memory table, which lies on the board
     * @param source finds regions
     * @param bells where others ring
     * @throws OsException EADDRINUSE when there is a NIC of this address
     */
    public Neighbourhood(Gid gid, int uid, Board board, MemoryTable table, RegionSource source, Bells bells)
            throws OsException {
        this.gid = gid;
        this.board = board;
        this.table = table;
        this.source = source;
        this.bells = bells;
        service = new AttachmentService(gid, uid, this);
        messenger = new Thread(this::runErrands, "verbena-seek-" + gid.toHex());
        messenger.setDaemon(true);
        try {
            messenger.start();
        } catch (Error e) {
            service.close(); // no more threads: nobody may find this NIC
            throw e;
        }
    }

    // What is exported; by the service's thread

    @Override
    public MemoryFile board() {
        return board.file();
    }

    @Override
    public Bells bells() {
        return bells;
    }

    @Override
    public Connection openQueuePair(Gid user, int userQpNum, int qpNum) throws RefusedException {
        ReentrantLock lock = lockUnlessClosed();
        try {
            Endpoint endpoint = Fabric.LOCAL.find(gid, qpNum);
            Path path = endpoint == null ? null : endpoint.path();
            if (path == null || !endpoint.isServing() || path.remoteQpNum() != userQpNum
                    || !user.equals(path.remoteGid())) {
                throw new RefusedException(ENOENT, "queue pair 0x" + Integer.toHexString(qpNum)
                        + " is not connected to queue pair 0x" + Integer.toHexString(userQpNum) + " of " + user);
            }
            if (endpoint.type() == QueuePairType.UD || endpoint.shared() != null) {
                throw new RefusedException(EOPNOTSUPP, "queue pair 0x" + Integer.toHexString(qpNum)
                        + " takes messages of its own process only");
            }
            Inbox inbox = endpoint.abroad().user() instanceof Inbox old
                    ? old : new Inbox(endpoint, user, userQpNum, board);
            if (!inbox.isOf(user, userQpNum)) {
                throw new RefusedException(ENOENT, "the process that used this connection has ended");
            }
            if (endpoint.abroad().peer() == null) {
                seek(endpoint);
            }
            return inbox;
        } catch (OsException e) {
            throw new RefusedException(e.errno(), e.getMessage());
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Share openRegion(int key) throws RefusedException {
        ReentrantLock lock = lockUnlessClosed();
        try {
            long slot = table.findAny(key);
            Share share = slot == 0 ? null : source.find(MemorySlot.region(slot));
            if (share == null) {
                throw new RefusedException(slot == 0 ? ENOENT : EOPNOTSUPP, slot == 0 ? "there is no such key"
                        : "the memory behind this key was not allocated by the device");
            }
            return share;
        } finally {
            lock.unlock();
        }
    }

    /** Takes the control lock, unless the NIC is being closed: who does that holds it and waits for this thread. */
    private ReentrantLock lockUnlessClosed() throws RefusedException {
        ReentrantLock lock = Fabric.LOCAL.controlLock();
        try {
            while (!lock.tryLock(LOOK_MS, TimeUnit.MILLISECONDS)) {
                if (closed) {
                    throw new RefusedException(ENOENT, "the NIC is being closed");
                }
            }
            return lock;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RefusedException(OsException.EINTR, "the thread was interrupted");
        }
    }

    // Connecting

    @Override
    public void seek(Endpoint seeker) {
        synchronized (seekers) {
            if (!seekers.add(seeker)) {
                return;
            }
        }
        errands.add(() -> {
            synchronized (seekers) {
                seekers.remove(seeker);
            }
            connect(seeker);
        });
    }

    /**
     * Connects a queue pair to its peer in another process, if it has one there that is ready; without any lock held.
     *
     * @param endpoint the queue pair
     */
    public void connect(Endpoint endpoint) {
        if (!isSeeking(endpoint, endpoint.path())) {
            return; // without the lock, which is held while another process is asked
        }
        connecting.lock();
        try {
            Path path = endpoint.path();
            if (closed || !isSeeking(endpoint, path)) {
                return;
            }
            giveBackAll();
            RemoteNic nic = nic(path.remoteGid());
            Attachment.Lease<Message.QueuePairOpened> lease =
                    nic.attachment().openQueuePair(path.remoteQpNum(), endpoint.qpNum());
            adopt(endpoint, path, nic, lease);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "the peer of a queue pair is not to be found in another process", e);
        } finally {
            connecting.unlock();
        }
    }

    private static boolean isSeeking(Endpoint endpoint, Path path) {
        boolean addressed = path != null && path.remoteGid() != null && endpoint.type() != QueuePairType.UD;
        return addressed && endpoint.abroad().peer() == null && endpoint.isServing()
                && Fabric.LOCAL.find(path.remoteGid(), path.remoteQpNum()) == null;
    }

    private RemoteNic nic(Gid owner) throws IOException {
        RemoteNic known = nics.get(owner);
        if (known != null && !known.isGone()) {
            return known;
        }
        if (known != null) {
            nics.remove(owner);
            closeIfUnused(known);
        }
        Attachment attachment = service.attach(owner, this::gone);
        try {
            RemoteNic nic = new RemoteNic(attachment, uncounted);
            nics.put(owner, nic);
            return nic;
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
            lock = lockUnlessClosed();
            if (isSeeking(endpoint, endpoint.path()) && endpoint.path().remoteQpNum() == path.remoteQpNum()
                    && path.remoteGid().equals(endpoint.path().remoteGid())) {
                RemotePeer peer = new RemotePeer(nic, endpoint, path.remoteQpNum(), lease);
                synchronized (peers) {
                    peers.add(peer);
                }
                endpoint.abroad().peer(peer);
                adopted = true;
            }
        } finally {
            if (lock != null) {
                lock.unlock();
            }
            if (!adopted) {
                lease.close();
                errands.add(() -> giveBack(nic, path.remoteQpNum(), endpoint.qpNum()));
            }
        }
    }

    /** Gives back the connections that were left, and lets go of processes that are gone. */
    private void giveBackAll() {
        connecting.lock();
        try {
            for (RemotePeer left = leaving.poll(); left != null; left = leaving.poll()) {
                if (!left.nic().isGone()) {
                    giveBack(left.nic(), left.qpNum(), left.user().qpNum());
                }
                closeIfUnused(left.nic());
            }
        } finally {
            connecting.unlock();
        }
    }

    private void closeIfUnused(RemoteNic nic) {
        synchronized (peers) {
            if (peers.stream().anyMatch(peer -> peer.nic() == nic)) {
                return;
            }
        }
        if (nic.isGone()) {
            nics.remove(nic.gid(), nic);
            nic.close();
        } else {
            nic.forgetRegions();
        }
    }

    private static void giveBack(RemoteNic nic, int qpNum, int ownQpNum) {
        try {
            nic.attachment().closeQueuePair(qpNum, ownQpNum);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "a connection could not be given back", e);
        }
    }

    @Override
    public void leave(Peer peer) {
        if (peer instanceof RemotePeer left) {
            synchronized (peers) {
                peers.remove(left);
            }
            left.close();
            leaving.add(left);
            errands.add(this::giveBackAll);
        }
    }

    /** A process has ended; by the service's thread. */
    private void gone(Attachment ended) {
        List<RemotePeer> left = new ArrayList<>();
        synchronized (peers) {
            peers.stream().filter(peer -> peer.nic().attachment() == ended).forEach(left::add);
        }
        try {
            ReentrantLock lock = lockUnlessClosed();
            try {
                left.forEach(peer -> peer.user().abroad().gone(peer));
            } finally {
                lock.unlock();
            }
        } catch (RefusedException e) {
            LOG.log(System.Logger.Level.DEBUG, "a process has ended while this NIC is being closed", e);
        }
    }

    private void runErrands() {
        try {
            while (!closed) {
                Runnable errand = errands.take();
                try {
                    errand.run();
                } catch (RuntimeException | Error e) {
                    LOG.log(System.Logger.Level.ERROR, "an errand to another process failed", e);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Lets go of everybody; when no queue pair is left. */
    @Override
    public void close() {
        closed = true;
        errands.add(() -> { });
        service.close();
        try {
            messenger.join(STOP_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        connecting.lock();
        try {
            giveBackAll();
            nics.values().forEach(RemoteNic::close);
            nics.clear();
        } finally {
            connecting.unlock();
        }
        board.close();
    }
}
