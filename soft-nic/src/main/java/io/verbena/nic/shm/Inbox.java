package io.verbena.nic.shm;

import io.verbena.nic.direct.Endpoint;
import io.verbena.nic.direct.Fabric;
import io.verbena.nic.direct.ForeignUser;
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
    private static final VarHandle GUARD = ValueLayout.JAVA_LONG.varHandle();
    private static final int ANY_PSN = -1;
    private static final Kind[] KINDS = Kind.values();

    private final Gid user;
    private final int userQpNum;
    private final Endpoint endpoint;
    private final Board board;
    private final MemoryFile file;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;
    private final long firstIndex;
    private boolean used;
    private volatile boolean gone;
    private volatile boolean released;

    /** Makes the inbox of a queue pair, and has its completions written there. */
    Inbox(Endpoint endpoint, Gid user, int userQpNum, Board board) throws OsException {
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
        firstIndex = endpoint.receiveLane().moveTo(memory, QueuePairGeometry.COMPLETIONS_AT);
        endpoint.abroad().user(this);
        Fabric.LOCAL.add(this);
    }

    /** Whether it is the inbox of a certain queue pair that still exists. */
    boolean isOf(Gid gid, int qpNum) {
        return user.equals(gid) && userQpNum == qpNum && !gone;
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
        return new Message.QueuePairOpened(geometry, endpoint.type().ordinal(), endpoint.domain(), endpoint.lives(),
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
        if (released) {
            return; // without the lock: who closes the NIC holds it and waits for this thread
        }
        ReentrantLock lock = Fabric.LOCAL.controlLock();
        lock.lock();
        try {
            if (!released) {
                action.run();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close(boolean ended) {
        if (ended) {
            gone = true;
            underLock(endpoint.abroad()::gone);
        }
    }

    // Whoever waits for the user

    @Override
    public long sample() {
        try {
            return gone ? 0 : (long) GUARD.getAcquire(memory, (long) QueuePairGeometry.GUARD_AT);
        } catch (IllegalStateException e) {
            return 0; // released
        }
    }

    @Override
    public boolean hasEnded(long sample) {
        return gone || released || Guard.hasEnded(sample, sample());
    }

    @Override
    public void giveUp() {
        gone = true;
        endpoint.enterError(Kind.QP_FATAL);
    }

    @Override
    public void release() {
        released = true;
        Fabric.LOCAL.remove(this);
        file.close();
        arena.close();
    }
}
