package io.verbena.nic.shm;

import io.verbena.nic.direct.Datagram;
import io.verbena.nic.direct.Endpoint;
import io.verbena.nic.direct.Fabric;
import io.verbena.nic.direct.ForeignUser;
import io.verbena.nic.direct.Neighbours;
import io.verbena.nic.direct.Path;
import io.verbena.nic.direct.Peer;
import io.verbena.nic.os.MemoryFile;
import io.verbena.nic.os.OsException;
import io.verbena.nic.os.UnixSocket;
import io.verbena.rc.memory.MemorySlot;
import io.verbena.rc.memory.MemoryTable;
import io.verbena.verbs.Errno;
import io.verbena.verbs.Gid;
import io.verbena.verbs.QueuePairType;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The NICs of other processes around one NIC: serves them what it exports, and attaches to those that its queue pairs
 * are connected to, see {@link Approaches}.
 */
public final class Neighbourhood implements Neighbours, Exports, AutoCloseable {
    private static final System.Logger LOG = System.getLogger("io.verbena.nic");
    private static final int ENOENT = Errno.ENOENT.number();
    private static final int EOPNOTSUPP = Errno.EOPNOTSUPP.number();
    private static final int STOP_MS = 5_000;
    private static final int LOOK_MS = 10;
    /** Of errands that are to nobody in particular. */
    private static final int MAX_WORKERS = 4;
    private static final int IDLE_S = 1;

    private final Gid gid;
    private final Board board;
    private final MemoryTable table;
    private final RegionSource source;
    private final Bells bells;
    private final AttachmentService service;
    private final Errands errands = new Errands("verbena-seek-");
    private final Approaches approaches = new Approaches(this, errands);
    private final Eviction eviction;
    private final int patienceMs;
    private final DatagramExchange exchange;
    private final ThreadPoolExecutor workers;
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
     * @param pages the allocation
     * @param start where in it the region starts
     * @param bytes how long the region is
     */
    public record Share(SharedPages pages, long start, long bytes) {}

    /**
     * Starts to serve.
     *
     * @param gid the address of the NIC
     * @param uid the user of this process
     * @param patienceMs how long another process may give no sign of life before its connections fail
     * @param board what others may read
     * @param table the NIC's memory table, which lies on the board
     * @param source finds regions
     * @param bells where others ring
     * @throws OsException EADDRINUSE when there is a NIC of this address
     */
    public Neighbourhood(Gid gid, int uid, int patienceMs, Board board, MemoryTable table, RegionSource source,
            Bells bells) throws OsException {
        this.gid = gid;
        this.board = board;
        this.table = table;
        this.source = source;
        this.patienceMs = patienceMs;
        this.bells = bells;
        eviction = new Eviction(this, board);
        exchange = new DatagramExchange(gid, uid, patienceMs, errands, this::watchMore);
        workers = new ThreadPoolExecutor(MAX_WORKERS, MAX_WORKERS, IDLE_S, TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(), this::newWorker);
        workers.allowCoreThreadTimeOut(true);
        service = new AttachmentService(gid, uid, this);
    }

    private Thread newWorker(Runnable task) {
        Thread thread = new Thread(task, "verbena-deliver-" + gid.toHex());
        thread.setDaemon(true);
        return thread;
    }

    /** The way of datagrams. */
    public DatagramExchange exchange() {
        return exchange;
    }

    // What is exported; by the service's thread

    @Override
    public MemoryFile board() {
        return board.file();
    }

    @Override
    public void beat() {
        board.beat();
    }

    @Override
    public long patienceMs() {
        return patienceMs;
    }

    @Override
    public List<UnixSocket> couriers() {
        return exchange.couriers();
    }

    @Override
    public void courierEnded(UnixSocket courier) {
        exchange.courierEnded(courier);
    }

    private void watchMore() {
        if (service != null) { // else it is its thread that is here, before it is known, and looks anyway
            service.ring();
        }
    }

    @Override
    public Bells bells() {
        return bells;
    }

    @Override
    public Borrower borrower(UnixSocket socket) throws OsException {
        // To the own address nobody has an errand.
        return new Borrower(socket, evicted -> errands.add(gid, () -> eviction.run(evicted)));
    }

    /** Where requesters of other processes write, but for those that are cut off; under the control lock. */
    List<Inbox> inboxes() {
        return Fabric.LOCAL.foreignUsers().stream()
                .mapMulti((ForeignUser user, Consumer<Inbox> found) -> {
                    if (user instanceof Inbox inbox && inbox.isAt(board) && !inbox.isDoomed()) {
                        found.accept(inbox);
                    }
                }).toList();
    }

    @Override
    public Connection openQueuePair(Borrower borrower, Gid user, int userQpNum, int qpNum) throws RefusedException {
        ReentrantLock lock = lockUnlessClosed();
        try {
            refuseDoomed(borrower);
            Endpoint endpoint = Fabric.LOCAL.find(gid, qpNum);
            Path path = endpoint == null ? null : endpoint.path();
            if (path == null || !endpoint.isServing() || path.remoteQpNum() != userQpNum
                    || !user.equals(path.remoteGid())) {
                throw new RefusedException(ENOENT, "queue pair 0x" + Integer.toHexString(qpNum)
                        + " is not connected to queue pair 0x" + Integer.toHexString(userQpNum) + " of " + user);
            }
            if (endpoint.type() == QueuePairType.UD) {
                throw new RefusedException(EOPNOTSUPP, "queue pair 0x" + Integer.toHexString(qpNum)
                        + " takes datagrams and is not connected");
            }
            Inbox inbox = endpoint.abroad().user() instanceof Inbox old
                    ? old : new Inbox(endpoint, borrower, user, userQpNum, board, this);
            if (!inbox.isOf(borrower, user, userQpNum)) {
                throw new RefusedException(ENOENT, "the process that used this connection has ended");
            }
            if (inbox.isBusy()) {
                throw new RefusedException(OsException.EAGAIN, "a request of its last connection has yet to end");
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

    long patienceNs() {
        return TimeUnit.MILLISECONDS.toNanos(patienceMs);
    }

    /** Who executes requests of other processes. */
    Executor workers() {
        return workers;
    }

    private static void refuseDoomed(Borrower borrower) throws RefusedException {
        if (borrower.isDoomed()) {
            throw new RefusedException(OsException.ETIMEDOUT, "this process was waited for in vain");
        }
    }

    @Override
    public void openRegion(Borrower borrower, int key, Lending lending) throws RefusedException, OsException {
        ReentrantLock lock = lockUnlessClosed();
        try {
            refuseDoomed(borrower);
            long slot = table.findAny(key);
            Share share = slot == 0 ? null : source.find(MemorySlot.region(slot));
            if (share == null) {
                throw new RefusedException(slot == 0 ? ENOENT : EOPNOTSUPP, slot == 0 ? "there is no such key"
                        : "the memory behind this key was not allocated by the device, or can't be shared any more");
            }
            borrower.lent.removeIf(pages -> !pages.isShared());
            borrower.lent.add(share.pages());
            lending.run(share);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void datagram(Message.Datagram datagram) {
        exchange.arrived(datagram);
    }

    @Override
    public void joined(Gid user) {
        exchange.ensure(user);
    }

    @Override
    public Fate send(Gid to, Datagram datagram, MemorySegment payload) {
        return exchange.send(to, datagram, payload);
    }

    @Override
    public boolean hasOthers() {
        return exchange.hasOthers();
    }

    /** Takes the control lock, unless the NIC is being closed: who does that holds it and waits for this thread. */
    ReentrantLock lockUnlessClosed() throws RefusedException {
        ReentrantLock lock = lockUnless(() -> closed);
        if (lock == null) {
            throw new RefusedException(ENOENT, "the NIC is being closed");
        }
        return lock;
    }

    /**
     * Takes the control lock, unless something is over meanwhile, or the thread is interrupted: who ends it may hold
     * the lock and wait for this thread. Others see that this process runs, however long that takes.
     *
     * @return the lock, or null
     */
    ReentrantLock lockUnless(BooleanSupplier over) {
        ReentrantLock lock = Fabric.LOCAL.controlLock();
        try {
            while (!lock.tryLock(LOOK_MS, TimeUnit.MILLISECONDS)) {
                if (over.getAsBoolean()) {
                    return null;
                }
                if (service != null) { // its thread may be here before it is known
                    service.showLife();
                }
            }
            return lock;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    // Connecting

    @Override
    public boolean isSeeking(Endpoint seeker) {
        return approaches.isSeeking(seeker);
    }

    @Override
    public void seek(Endpoint seeker) {
        approaches.seek(seeker);
    }

    /**
     * Connects a queue pair to its peer in another process, if it has one there that is ready; without any lock held.
     *
     * @param endpoint the queue pair
     */
    public void connect(Endpoint endpoint) {
        approaches.connect(endpoint);
    }

    @Override
    public void leave(Peer peer) {
        approaches.leave(peer);
    }

    Attachment attach(Gid owner, Consumer<Attachment> gone) throws IOException {
        return service.attach(owner, gone);
    }

    Gid gid() {
        return gid;
    }

    boolean isClosed() {
        return closed;
    }

    /** Lets go of everybody; when no queue pair is left. */
    @Override
    public void close() {
        closed = true;
        service.close();
        exchange.close();
        workers.shutdown();
        errands.close(STOP_MS);
        approaches.close();
        board.close();
    }
}
