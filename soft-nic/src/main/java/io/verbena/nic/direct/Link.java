package io.verbena.nic.direct;

import io.verbena.nic.counters.QueuePairCounters;
import io.verbena.nic.memory.Generation;
import io.verbena.nic.memory.KeyCache;
import io.verbena.nic.ring.ReceiveLane;
import io.verbena.nic.ring.ReceiveQueue;
import io.verbena.rc.memory.MemoryTable;
import io.verbena.verbs.Access;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.WcStatus;

/**
 * A requester's view of its connection: the peer, what it allows, and remembered keys of both sides. Good for one
 * generation; used by the holder of the send queue, inside its guard.
 */
final class Link {
    /** Longer transfers look for revocations in between, so that deregistration does not wait long. */
    static final long CHUNK_BYTES = 1 << 20;

    private static final Generation GENERATION = Fabric.LOCAL.generation();
    private static final int PSN_MASK = 0xFF_FFFF;

    private final Endpoint self;
    final KeyCache local;
    final long counters;
    // The longest message that the fast path may send, write and read; 0 while the slow path has to say no.
    private long sendLimit;
    private long writeLimit;
    private long readLimit;
    Peer peer;
    Path peerPath;
    ReceiveLane lane;
    ReceiveQueue queue;
    /** Where the peer's receives come from when it is not its receive queue, or null. */
    SharedReceives shared;
    KeyCache remote;
    /** Keys of the peer's receive buffers; made when a message needs them. */
    private KeyCache peerLocal;
    private long offered;
    private int eager;
    /** Receives before this index were posted before some key was revoked: look at them before delivering. */
    private long trustedFrom;
    private long peerEpoch;
    private long peerLives;
    private int psn;
    private int mtuBytes = 1;
    private boolean bound;
    private long seen = -1;
    private boolean delegating;
    /** Null while the peer is in this process, or nowhere. */
    private ForeignLink foreign;

    Link(Endpoint self) {
        this.self = self;
        counters = self.receiveLane().counters();
        local = new KeyCache(self.table(), self.regions(), MemoryTable.LOCAL, self.domain());
    }

    /** Whether the peer serves requests of this queue pair; looks again when the generation has changed. */
    boolean isUsable() {
        long now = GENERATION.get();
        if (now != seen || isPeerChanged()) {
            GENERATION.roster().enlist(self.requester());
            now = GENERATION.get();
            bound = refresh();
            seen = now;
        }
        return bound;
    }

    /** Whether the peer's process has changed something since the last look. */
    boolean isPeerChanged() {
        return foreign != null && foreign.isChanged();
    }

    /**
     * What becomes of a request at its end: when the peer's process has cut this one off meanwhile, what was moved may
     * have gone nowhere. It says so before it takes its memory away, so that it is enough to look now.
     *
     * @param outcome a status, 0 for success
     * @return the same, or that nobody has answered
     */
    int settled(int outcome) {
        return outcome == 0 && isCutOff() ? WcStatus.RETRY_EXC_ERR.code() : outcome;
    }

    /** Whether the peer's process has cut this one off while a request was executed; an unreliable one does not ask. */
    boolean isCutOff() {
        return foreign != null && foreign.isChanged() && self.type() == QueuePairType.RC && foreign.peer.hasCutOff();
    }

    /** Whether the peer's receives are filled by its own process only. */
    boolean isDelegating() {
        return foreign != null && delegating;
    }

    /** The own path MTU, bytes. */
    int mtuBytes() {
        return mtuBytes;
    }

    /** Whether the peer is in another process. */
    boolean isForeign() {
        return foreign != null;
    }

    /** Announces a data call to the peer's process, if it is another one. */
    void enterForeign() {
        if (foreign != null) {
            foreign.enter();
        }
    }

    /** Ends the data call announced to another process. */
    void exitForeign() {
        if (foreign != null) {
            foreign.exit();
        }
    }

    /** Forgets the peer, whose memory is about to go; outside all guards. */
    void forgetPeer() {
        exitForeign();
        invalidate();
        foreign = null;
        peer = null;
        lane = null;
        queue = null;
        remote = null;
        peerLocal = null;
        bound = false;
    }

    /** Lets control calls pass that wait for this requester. */
    void breathe() {
        self.requester().breathe();
    }

    /** Looks at everything again, whatever the generation. */
    void invalidate() {
        seen = -1;
    }

    private boolean refresh() {
        local.clear();
        sendLimit = 0;
        writeLimit = 0;
        readLimit = 0;
        Path path = self.path();
        boolean addressed = path != null && path.remoteGid() != null;
        Peer found = addressed ? find(path) : null;
        Path theirs = found == null ? null : found.path();
        if (path != null) {
            mtuBytes = path.mtuBytes();
        }
        if (theirs == null || found.type() != self.type() || theirs.remoteQpNum() != self.qpNum()
                || !path.localGid().equals(theirs.remoteGid())) {
            return false;
        }
        // First say who may write to the lane, then look at the state: who seals does it the other way round.
        found.producer(self.requester());
        // An unreliable connection takes whatever packet sequence number comes first.
        boolean expected = self.type() != QueuePairType.RC || found.receiveLane().expectedPsn() == psn;
        if (!found.isServing() || found.path() != theirs || !expected) {
            return false;
        }
        adopt(found, theirs, path);
        return true;
    }

    private Peer find(Path path) {
        Endpoint local = Fabric.LOCAL.find(path.remoteGid(), path.remoteQpNum());
        if (local != null) {
            exitForeign();
            foreign = null;
            return local;
        }
        Peer elsewhere = self.abroad() == null ? null : self.abroad().peer();
        if (foreign == null ? elsewhere != null : foreign.peer != elsewhere) {
            exitForeign();
            foreign = elsewhere == null ? null : new ForeignLink(elsewhere);
        }
        if (foreign != null) {
            foreign.enter();
            foreign.look();
        }
        return elsewhere;
    }

    private void adopt(Peer found, Path theirs, Path path) {
        if (peer != found) {
            remote = found.keys(MemoryTable.REMOTE);
            shared = found.shared();
            peerLocal = null;
            peer = found;
            peerEpoch = 0;
            lane = found.receiveLane();
            queue = found.receiveQueue();
        }
        peerLives = found.lives();
        remote.clear();
        if (peerLocal != null) {
            peerLocal.clear();
        }
        peerPath = theirs;
        offered = 0;
        eager = 0;
        long epoch = found.epoch();
        if (epoch != peerEpoch) {
            trustedFrom = ReceiveQueue.postedOf(queue.offered());
            peerEpoch = epoch;
        }
        long limit = theirs.mtuBytes() == path.mtuBytes()
                ? CHUNK_BYTES
                : Math.min(theirs.mtuBytes(), path.mtuBytes());
        delegating = found.isDelegating();
        sendLimit = delegating ? 0 : limit;
        int rights = theirs.responder().accessFlags();
        if ((rights & Access.REMOTE_WRITE) != 0) {
            writeLimit = limit;
        }
        if ((rights & Access.REMOTE_READ) != 0 && self.type() == QueuePairType.RC
                && theirs.responder().maxReads() > 0 && path.requester().maxReads() > 0) {
            readLimit = limit;
        }
        if (found.state() == QueuePairState.RTR) {
            found.noteEstablished();
        }
    }

    /** Keys of the peer's receive buffers. */
    KeyCache peerLocal() {
        if (peerLocal == null) {
            peerLocal = peer.keys(MemoryTable.LOCAL);
        }
        return peerLocal;
    }

    /** Whether the fast path may send a message of this length, if it is {@link #isEager}. */
    boolean maySend(long length) {
        return Long.compareUnsigned(length - 1, sendLimit) < 0; // 1 to the limit
    }

    /** Whether the fast path may write a message of this length. */
    boolean mayWrite(long length) {
        return Long.compareUnsigned(length - 1, writeLimit) < 0;
    }

    /** Whether the fast path may read a message of this length. */
    boolean mayRead(long length) {
        return Long.compareUnsigned(length - 1, readLimit) < 0;
    }

    /** Whether a message is cut into packets differently by the two ends. */
    boolean isCutDifferently(long length) {
        return peerPath.mtuBytes() != mtuBytes && length > Math.min(peerPath.mtuBytes(), mtuBytes);
    }

    /** Whether the own queue pair was reset: nothing goes on then. */
    boolean isOwnReset() {
        return self.state() == QueuePairState.RESET;
    }

    /** Changes when the peer is another one or was reset. */
    long connection() {
        return peerLives << Integer.SIZE | peer.qpNum();
    }

    /** Whether a message fits into one packet. */
    boolean isOnePacket(long length) {
        return length <= mtuBytes;
    }

    /** Whether the peer has posted a receive that is not used yet. */
    boolean hasReceive() {
        if (lane.nextIndex() < offered) {
            return true;
        }
        long word = queue.offered();
        offered = ReceiveQueue.postedOf(word);
        eager = ReceiveQueue.eagerOf(word);
        return lane.nextIndex() < offered;
    }

    /** Whether a message may travel in the completion entry of the next receive; after {@link #hasReceive}. */
    boolean isEager(long length) {
        return length <= eager && lane.nextIndex() >= trustedFrom;
    }

    /** Counts an RDMA WRITE of the fast path; returns its length. */
    long countWrite(long length) {
        return QueuePairCounters.write(counters, length);
    }

    /** Counts an RDMA READ of the fast path; returns its length. */
    long countRead(long length) {
        return QueuePairCounters.read(counters, length);
    }

    /** Counts a SEND of the fast path; returns its length. */
    long countSend(long length) {
        return QueuePairCounters.send(counters, length);
    }

    /** Counts the packets of a finished message, at both ends. */
    void advancePsn(long length) {
        countPackets(length);
        if (lane != null) {
            lane.expectPsn(psn);
        }
    }

    /** Counts the packets of a message that the peer did not get. */
    void countPackets(long length) {
        long packets = length <= mtuBytes ? 1 : (length + mtuBytes - 1) / mtuBytes;
        psn = (int) (psn + packets) & PSN_MASK;
    }

    int psn() {
        return psn;
    }

    void psn(int value) {
        psn = value;
        invalidate();
    }
}
