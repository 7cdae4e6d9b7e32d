package io.verbena.nic.shm;

import io.verbena.nic.direct.Endpoint;
import io.verbena.nic.direct.Fabric;
import io.verbena.nic.direct.ForeignUser;
import io.verbena.nic.direct.PeerNotes;
import io.verbena.nic.memory.Guard;
import io.verbena.nic.os.MemoryFile;
import io.verbena.nic.os.OsException;
import io.verbena.nic.ring.ReceiveLane;
import io.verbena.nic.ring.ReceiveQueue;
import io.verbena.verbs.AsyncEvent.QueuePairEvent.Kind;
import io.verbena.verbs.Gid;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Where one queue pair of another process writes to one of this: the guard of its requester, and completions. It lives
 * from the first use until the own queue pair is reset. Used under the control lock, but for what the guard says.
 */
final class Inbox implements Exports.Connection, ForeignUser {
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
    private static final int ANY_PSN = -1;
    private static final int PSN_MASK = 0xFF_FFFF;
    private static final Kind[] KINDS = Kind.values();

    private final Neighbourhood nic;
    private final Borrower borrower;
    private final Gid user;
    private final int userQpNum;
    private final Endpoint endpoint;
    private final Board board;
    private final MemoryFile file;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;
    /** Where the guard of its user is. */
    private volatile MemorySegment guard;
    private final long firstIndex;
    private final Deliveries deliveries;
    private final long patienceNs;
    private boolean used;
    private boolean gone;
    private volatile boolean released;

    /** Makes the inbox of a queue pair, and has its completions written there. */
    Inbox(Endpoint endpoint, Borrower borrower, Gid user, int userQpNum, Board board, Neighbourhood nic)
            throws OsException {
        this.nic = nic;
        this.borrower = borrower;
        patienceNs = nic.patienceNs();
        this.endpoint = endpoint;
        this.user = user;
        this.userQpNum = userQpNum;
        this.board = board;
        int slots = endpoint.receiveQueue().location().slots();
        file = MemoryFile.create("verbena-inbox", QueuePairGeometry.inboxBytes(slots));
        try {
            memory = file.map(true, arena);
        } catch (OsException e) {
            file.close();
            throw e;
        }
        guard = memory;
        // Receives that others draw from are completed by this process only, where nobody else can write.
        boolean alone = endpoint.shared() == null;
        firstIndex = alone ? endpoint.receiveLane().moveTo(memory, QueuePairGeometry.COMPLETIONS_AT) : 0;
        deliveries = new Deliveries(endpoint, user, userQpNum, alone, nic.workers());
        WORD.set(memory, (long) QueuePairGeometry.PSN_AT, (long) endpoint.receiveLane().expectedPsn());
        endpoint.abroad().user(this);
        borrower.inboxes.add(this);
        Fabric.LOCAL.add(this);
    }

    /** Whether it is the inbox of a certain queue pair that still exists. */
    boolean isOf(Borrower process, Gid gid, int qpNum) {
        return borrower == process && user.equals(gid) && userQpNum == qpNum && !gone;
    }

    @Override
    public ReceiveLane lane() {
        return endpoint.receiveLane();
    }

    @Override
    public Message.QueuePairOpened description(int slot) {
        ReceiveQueue.Location location = endpoint.receiveQueue().location();
        QueuePairGeometry geometry = new QueuePairGeometry(location.slots(), location.maxSge(),
                board.offset(location.posted()), board.offset(location.receives()), location.receiveShift(),
                file.bytes(), QueuePairGeometry.COMPLETIONS_AT);
        boolean first = !used;
        used = true;
        return new Message.QueuePairOpened(geometry,
                new Message.Service(endpoint.type().ordinal(), endpoint.shared() != null),
                endpoint.domain(), endpoint.lives(),
                first ? firstIndex : endpoint.receiveLane().nextForeign(),
                first ? endpoint.receiveLane().expectedPsn() : ANY_PSN,
                Attention.of(slot, endpoint.receiveLane().armedWord(), board));
    }

    @Override
    public MemoryFile inbox() {
        return file;
    }

    @Override
    public void notice(int kind) throws RefusedException {
        if (kind < RemotePeer.NO_EVENT || kind >= KINDS.length) {
            throw new RefusedException(Guest.EPROTO, "there is no kind " + kind + " of event");
        }
        underLock(() -> {
            if (kind >= 0 && KINDS[kind] == Kind.COMM_EST) {
                endpoint.noteEstablished();
            } else {
                endpoint.enterError(kind < 0 ? null : KINDS[kind]);
            }
        });
    }

    /** Does something unless the connection is over, which it can't become meanwhile. */
    private void underLock(Runnable action) {
        // It may be over meanwhile, and who closes the NIC then holds the lock and waits for this thread.
        ReentrantLock lock = nic.lockUnless(() -> released);
        if (lock != null) {
            try {
                if (!released) {
                    action.run();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    @Override
    public boolean whileOpen(Exports.Action action) throws OsException {
        OsException[] failure = new OsException[1];
        boolean[] done = new boolean[1];
        underLock(() -> {
            done[0] = true;
            try {
                action.run();
            } catch (OsException e) {
                failure[0] = e;
            }
        });
        if (failure[0] != null) {
            throw failure[0];
        }
        return done[0];
    }

    @Override
    public void room(MemoryFile memory) throws OsException {
        whileOpen(() -> deliveries.room(memory));
    }

    /** Whether a request of its user is being executed, or is to be. */
    boolean isBusy() {
        return deliveries.isBusy();
    }

    @Override
    public void asked() {
        deliveries.asked();
    }

    @Override
    public void fail() {
        underLock(this::cutOff);
    }

    @Override
    public void close(boolean ended) {
        if (ended) {
            underLock(this::end);
        }
    }

    private void end() {
        if (!gone) {
            gone = true;
            endpoint.abroad().gone();
        }
    }

    /** Its user is served no more, and can read that; under the control lock. */
    void cutOff() {
        PeerNotes.cutOff(endpoint.receiveQueue().notes());
        end();
    }

    /** Freezes what its user has written, but for its guard, which tells when it has ended; under the control lock. */
    void separate() throws OsException {
        guard = file.map(false, arena);
        file.separate(memory, true);
    }

    /** Whether it lies beside a certain board. */
    boolean isAt(Board some) {
        return board == some;
    }

    boolean isDoomed() {
        return borrower.isDoomed();
    }

    // Whoever waits for the user

    @Override
    public long sample() {
        try {
            return released ? 0 : (long) WORD.getAcquire(guard, (long) QueuePairGeometry.GUARD_AT);
        } catch (IllegalStateException e) {
            return 0; // released
        }
    }

    @Override
    public int psn() {
        return (int) word(QueuePairGeometry.PSN_AT) & PSN_MASK;
    }

    @Override
    public boolean isReady() {
        return word(QueuePairGeometry.READY_AT) != 0;
    }

    private long word(long at) {
        try {
            return (long) WORD.getAcquire(memory, at);
        } catch (IllegalStateException e) {
            return 0; // released
        }
    }

    @Override
    public boolean hasEnded(long sample) {
        return released || Guard.hasEnded(sample, sample()) || borrower.isHarmless();
    }

    @Override
    public long patienceNs() {
        return patienceNs;
    }

    @Override
    public void giveUp() {
        borrower.giveUp();
    }

    @Override
    public void release() {
        released = true;
        Fabric.LOCAL.remove(this);
        borrower.inboxes.remove(this);
        deliveries.close();
        file.close();
        arena.close();
    }
}
