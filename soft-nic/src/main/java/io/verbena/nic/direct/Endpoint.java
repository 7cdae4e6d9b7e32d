package io.verbena.nic.direct;

import io.verbena.nic.counters.NicCounters;
import io.verbena.nic.counters.QueuePairCounters;
import io.verbena.nic.memory.Fences;
import io.verbena.nic.memory.KeyCache;
import io.verbena.nic.memory.RegionTable;
import io.verbena.nic.ring.ReceiveLane;
import io.verbena.nic.ring.ReceiveQueue;
import io.verbena.nic.ring.SendLane;
import io.verbena.nic.ring.SendQueue;
import io.verbena.rc.memory.MemoryTable;
import io.verbena.verbs.AsyncEvent.QueuePairEvent.Kind;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.ReceiveRequests;
import java.util.concurrent.locks.LockSupport;

/**
 * A queue pair as the data path sees it: its state, its rings, and the requester that executes its sends. The receive
 * side has no thread: the connected peer's requester fills {@link #receiveLane()}.
 */
public final class Endpoint extends EndpointWords implements Peer {
    private static final long PARK_NS = 20_000;

    private final QueuePairType type;
    private final int qpNum;
    private final int domain;
    private final MemoryTable table;
    private final RegionTable regions;
    private final Progress progress;
    private final EndpointEvents events;
    private final ReceiveQueue receiveQueue;
    private final ReceiveLane receiveLane;
    private final SharedReceives shared;
    private final Requester requester;
    private volatile Path path;
    private volatile boolean closed;
    private volatile long lives;
    private volatile Requester producer;
    private Abroad abroad;
    /** What executes the sends when only packets reach the peer; else null. */
    private Outlet outlet;
    private volatile boolean established;
    private volatile boolean drainedWanted;
    private Sealing sealing; // only while it goes on

    /** Who an endpoint is and whom it tells. */
    public record Identity(
            QueuePairType type,
            int qpNum,
            int domain,
            MemoryTable table,
            RegionTable regions,
            Progress progress,
            EndpointEvents events) {}

    /** The rings of an endpoint; shared is null when receives come from the receive queue. */
    public record Rings(
            SendQueue sendQueue, SendLane sendLane, ReceiveQueue receiveQueue, ReceiveLane receiveLane,
            SharedReceives shared) {}

    /**
     * Makes an endpoint in RESET.
     *
     * @param identity who it is
     * @param rings its rings
     * @param rules how its sends are posted
     */
    public Endpoint(Identity identity, Rings rings, PostingRules rules) {
        type = identity.type();
        qpNum = identity.qpNum();
        domain = identity.domain();
        table = identity.table();
        regions = identity.regions();
        progress = identity.progress();
        events = identity.events();
        receiveQueue = rings.receiveQueue();
        receiveLane = rings.receiveLane();
        shared = rings.shared();
        requester = new Requester(this, rings.sendQueue(), rings.sendLane(), rules);
        lives = PeerNotes.newLife(receiveQueue.notes());
    }

    // Receiving

    /** Posts a receive of one buffer. */
    public int postReceive(long wrId, long address, long length, int lkey) {
        progress.runBeforePost();
        if (state == QueuePairState.RESET) {
            return closed ? PostStatus.CLOSED : PostStatus.WRONG_STATE;
        }
        int status = shared == null
                ? receiveQueue.post(wrId, address, length, lkey) : postOwn(wrId, address, length, lkey);
        announceFlush();
        return status;
    }

    /** Posts a list of receives. */
    public int postReceive(ReceiveRequests requests) {
        progress.runBeforePost();
        return ReceiveList.post(this, requests);
    }

    private int postOwn(long wrId, long address, long length, int lkey) {
        int refused = beginOwnPost();
        if (refused != PostStatus.OK) {
            return refused;
        }
        try {
            return shared.queue().post(wrId, address, length, lkey);
        } finally {
            endDelivery();
        }
    }

    /** Announces a post to the own queue of datagrams, as their delivery is: a reset waits until it has ended. */
    int beginOwnPost() {
        if (!shared.own()) {
            return PostStatus.HAS_SRQ;
        }
        addArriving(1);
        if (state == QueuePairState.RESET) {
            endDelivery();
            return closed ? PostStatus.CLOSED : PostStatus.WRONG_STATE;
        }
        return PostStatus.OK;
    }

    void announceFlush() {
        if (shared != null) {
            if (shared.own() && state == QueuePairState.ERR) {
                progress.register(this);
            }
            return;
        }
        // The receive is visible before the seal is read; ReceiveLane.seal does it the other way round.
        Fences.light();
        if (receiveLane.isSealed()) {
            receiveLane.announceFlush();
        }
    }

    // State

    /** The state now. */
    @Override
    public QueuePairState state() {
        return state;
    }

    /** Whether it was reset for the last time. */
    boolean isClosed() {
        return closed;
    }

    /** Why a send may not be posted now; {@link PostStatus#OK} when it may. */
    int sendRefusal() {
        return switch (state) {
            case RTS, SQD, SQE, ERR -> PostStatus.OK;
            case RESET, INIT, RTR -> closed ? PostStatus.CLOSED : PostStatus.WRONG_STATE;
        };
    }

    /** Whether requests of the peer are served. */
    @Override
    public boolean isServing() {
        return Peer.serves(state);
    }

    /**
     * Goes to ERR, unless it is there or in RESET already. Takes no lock and waits for nobody: what is posted is
     * flushed by the next {@link Progress#run}.
     *
     * @param event what to report, or null
     * @return whether this call did it
     */
    @Override
    public boolean enterError(Kind event) {
        QueuePairState now;
        do {
            now = state;
            if (now == QueuePairState.ERR || now == QueuePairState.RESET) {
                return false;
            }
        } while (!changeState(now, QueuePairState.ERR));
        noteState();
        Fabric.LOCAL.generation().bump();
        if (event != null) {
            events.raise(event);
        }
        progress.register(this);
        return true;
    }

    /** Notes the state where others read it: whoever changed it last, what is noted in the end is right. */
    private void noteState() {
        QueuePairState now;
        do {
            now = state;
            QueuePairCounters.state(receiveLane.counters(), qpNum, now);
            PeerNotes.state(receiveQueue.notes(), now);
        } while (state != now);
    }

    /**
     * Goes to SQE after a failed send of an unreliable service: later sends are flushed, receives go on
     * (IBA 10.3.1). A reliable connection goes to ERR.
     */
    public void enterSendError() {
        if (type == QueuePairType.RC) {
            enterError(null);
            return;
        }
        QueuePairState now;
        do {
            now = state;
            if (now != QueuePairState.RTS && now != QueuePairState.SQD) {
                return;
            }
        } while (!changeState(now, QueuePairState.SQE));
        noteState();
        Fabric.LOCAL.generation().bump();
        progress.register(this);
    }

    /**
     * Announces a datagram for this queue pair.
     *
     * @return whether it is served; then {@link #endDelivery} must follow
     */
    boolean beginDelivery() {
        addArriving(1);
        if (isServing()) {
            return true;
        }
        addArriving(-1);
        return false;
    }

    void endDelivery() {
        addArriving(-1);
    }

    /** The first message before RTS has arrived. */
    @Override
    public void noteEstablished() {
        if (!established) {
            established = true;
            if (state == QueuePairState.RTR) {
                events.raise(Kind.COMM_EST);
            }
        }
    }

    // Progress, by the holder of the progress role

    /**
     * Does what is due: retries, flushes, sealing.
     *
     * @return whether something is still outstanding
     */
    boolean advance() {
        boolean more = outlet != null && outlet.advance();
        boolean unsealed = state == QueuePairState.ERR && !receiveLane.isSealed() && !seal();
        if (!unsealed && shared != null && shared.own() && state == QueuePairState.ERR) {
            shared.flush(qpNum, receiveLane.counters());
        }
        return (outlet == null ? requester.advance() : more) | unsealed;
    }

    /** When {@link #advance} has something to do next; {@link Progress#NEVER} when only another call can tell. */
    long nextDeadline() {
        boolean unsealed = state == QueuePairState.ERR && !receiveLane.isSealed();
        return unsealed ? System.nanoTime() + Progress.SEAL_RETRY_NS : requester.nextDeadline();
    }

    /** All begun requests are finished. */
    public void drained() {
        if (drainedWanted) {
            drainedWanted = false;
            events.raise(Kind.SQ_DRAINED);
        }
    }

    private boolean seal() {
        if (sealing == null) {
            sealing = new Sealing(this);
        }
        if (!sealing.isOver()) {
            return false;
        }
        receiveLane.seal();
        sealing = null;
        if (shared != null && !shared.own()) {
            events.raise(Kind.QP_LAST_WQE_REACHED);
        }
        return true;
    }

    // Control calls, under the control lock

    /** Takes over new attributes, then a new state. */
    public void apply(Path newPath, QueuePairState newState) {
        path = newPath;
        PeerNotes.attributes(receiveQueue.notes(), newPath);
        if (newState == QueuePairState.RTR) {
            established = false;
        }
        if (outlet == null) {
            takeState(newState);
        } else {
            progress.exclusively(() -> {
                outlet.apply(newPath, state, newState);
                takeState(newState);
            });
        }
        noteState();
        Fabric.LOCAL.generation().bump();
        progress.register(this);
    }

    private void takeState(QueuePairState newState) {
        QueuePairState now = state;
        if (now != newState && now != QueuePairState.ERR) {
            // An error that comes between wins: it is reported by completions, and modify by the next query.
            changeState(now, newState);
        }
    }

    /** Waits until no send is in flight that began before the state changed. */
    public void awaitSends() {
        Fences.heavy();
        requester.awaitQuiescent();
    }

    /** Asks to be told, or no longer to be told, once draining has ended. */
    public void wantDrained(boolean wanted) {
        drainedWanted = wanted;
        progress.register(this);
    }

    /** Goes to RESET: everything posted and every completion not polled is dropped. */
    public void reset(boolean close) {
        closed |= close;
        lives = PeerNotes.newLife(receiveQueue.notes());
        state = QueuePairState.RESET;
        noteState();
        Fabric.LOCAL.generation().bump();
        Fences.heavy();
        requester.awaitQuiescent();
        // Not the producer alone: a requester that looked before the reset may be about to call itself that.
        Fabric.LOCAL.generation().roster().awaitQuiescent();
        while (arriving != 0) {
            LockSupport.parkNanos(PARK_NS);
        }
        requester.executor.awaitForeign();
        progress.exclusively(() -> {
            if (close) {
                receiveQueue.close();
            } else {
                receiveQueue.awaitPosts();
            }
            if (outlet != null) {
                outlet.reset();
            }
            requester.discard(close);
            receiveLane.discard();
            if (shared != null) {
                shared.discard(qpNum, close);
            }
            sealing = null;
            drainedWanted = false;
            progress.forget(this);
        });
        if (abroad != null) {
            abroad.leave();
        }
    }

    // What requesters of peers look at

    /** How often the queue pair was reset: tells its connections apart. */
    @Override
    public long lives() {
        return lives;
    }

    @Override
    public void producer(Requester peer) {
        producer = peer;
    }

    /** The only requester that may be using receives and windows of this queue pair; null for none. */
    Requester producer() {
        return producer;
    }

    /** The queue pair number. */
    @Override
    public int qpNum() {
        return qpNum;
    }

    /** The number of its protection domain. */
    public int domain() {
        return domain;
    }

    @Override
    public long epoch() {
        return table.epoch();
    }

    @Override
    public KeyCache keys(int kind) {
        int owner = kind == MemoryTable.LOCAL && shared != null ? shared.domain() : domain;
        return new KeyCache(table, regions, kind, owner, kind == MemoryTable.REMOTE ? qpNum : 0);
    }

    @Override
    public NicCounters nicCounters() {
        return receiveLane.nicCounters();
    }

    /** The way to peers in other processes; null when there is none. */
    public Abroad abroad() {
        return abroad;
    }

    /** Looks for peers in other processes from now on; before it is used. */
    public void neighbours(Neighbours neighbours) {
        abroad = new Abroad(this, neighbours);
    }

    /** Has sends executed by something else from now on; before the queue pair is used. */
    public void outlet(Outlet newOutlet) {
        outlet = newOutlet;
        requester.outlet(newOutlet);
    }

    /** What executes the sends when only packets reach the peer; else null. */
    Outlet outlet() {
        return outlet;
    }

    MemoryTable table() {
        return table;
    }

    RegionTable regions() {
        return regions;
    }

    Progress progress() {
        return progress;
    }

    /** Attributes of the data path; null before the queue pair was first connected. */
    @Override
    public Path path() {
        return path;
    }

    /** Where receives come from when it is not the receive queue, or null. */
    @Override
    public SharedReceives shared() {
        return shared;
    }

    /** The transport service. */
    @Override
    public QueuePairType type() {
        return type;
    }

    @Override
    public ReceiveQueue receiveQueue() {
        return receiveQueue;
    }

    /** The packet sequence number that the next message starts with; under the control lock. */
    public int expectedPsn() {
        return abroad == null ? receiveLane.expectedPsn() : abroad.expectedPsn();
    }

    /** Completions of receives. */
    @Override
    public ReceiveLane receiveLane() {
        return receiveLane;
    }

    /** Who executes the sends. */
    public Requester requester() {
        return requester;
    }
}
