package io.verbena.nic.shm;

import io.verbena.nic.counters.NicCounters;
import io.verbena.nic.direct.Delegate;
import io.verbena.nic.direct.DelegatedRequest;
import io.verbena.nic.direct.Endpoint;
import io.verbena.nic.direct.Path;
import io.verbena.nic.direct.Peer;
import io.verbena.nic.direct.PeerNotes;
import io.verbena.nic.direct.Requester;
import io.verbena.nic.direct.SharedReceives;
import io.verbena.nic.link.Marks;
import io.verbena.nic.memory.ForeignMemory;
import io.verbena.nic.memory.KeyCache;
import io.verbena.nic.memory.OffHeap;
import io.verbena.nic.os.MemoryFile;
import io.verbena.nic.ring.ForeignLane;
import io.verbena.nic.ring.ReceiveLane;
import io.verbena.nic.ring.ReceiveQueue;
import io.verbena.verbs.AsyncEvent.QueuePairEvent.Kind;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.agrona.collections.Int2ObjectHashMap;

/** A queue pair of another process, to one of this that sends to it. Used by the holder of that one's send queue. */
final class RemotePeer implements Peer, Delegate, ForeignMemory {
    /** In a notice: nothing is to be reported. */
    static final int NO_EVENT = -1;
    private static final Path.Requesting UNKNOWN = new Path.Requesting(0, 0, 0, 0, Marks.USUAL);
    private static final long FIRST_ROOM_BYTES = 16_384;
    private static final int FEW_REGIONS = 16;
    private static final QueuePairType[] TYPES = QueuePairType.values();

    private final RemoteNic nic;
    private final Endpoint user;
    private final Attachment.Lease<Message.QueuePairOpened> lease;
    private final int qpNum;
    private final Message.QueuePairOpened description;
    private final ReceiveQueue queue;
    private final ForeignLane lane;
    private final long notes;
    private final long inbox;
    private final Int2ObjectHashMap<RemoteNic.Region> regions = new Int2ObjectHashMap<>();
    /** With so many, those are looked for that are forgotten. */
    private int mostRegions = FEW_REGIONS;
    private Path path;
    private volatile boolean cut;
    /** The owner is being asked for memory. */
    private volatile boolean mapping;
    private MemorySegment room;
    private Arena roomMemory;

    /**
     * Takes over what the owner has opened.
     *
     * @throws RefusedException when it is for another kind of queue pair
     */
    RemotePeer(RemoteNic nic, Endpoint user, int qpNum, Attachment.Lease<Message.QueuePairOpened> lease)
            throws RefusedException {
        this.nic = nic;
        this.user = user;
        this.qpNum = qpNum;
        this.lease = lease;
        description = lease.description();
        if (description.service().type() != user.type().ordinal()) {
            throw new RefusedException(Guest.EINVAL, "queue pair 0x" + Integer.toHexString(qpNum)
                    + " of " + nic.gid() + " is of another type than " + user.type());
        }
        QueuePairGeometry geometry = description.geometry();
        long board = nic.board().address();
        inbox = lease.memory().address();
        queue = ReceiveQueue.viewOf(lease.memory(), new ReceiveQueue.Location(geometry.slots(), geometry.maxSge(),
                board + geometry.postedAt(), board + geometry.receivesAt(), geometry.receiveShift(),
                geometry.completionsAt()));
        lane = new ForeignLane(queue, qpNum, description.next(),
                new Doorbell(nic.attachment(), description.attention()), inbox + QueuePairGeometry.PSN_AT);
        lane.expectPsn(description.psn() < 0 ? user.requester().psn() : description.psn());
        notes = queue.notes();
    }

    /** The own queue pair that sends to it. */
    Endpoint user() {
        return user;
    }

    RemoteNic nic() {
        return nic;
    }

    /** Tells its process that the way to it was found. */
    void sayReady() {
        OffHeap.putLongRelease(inbox + QueuePairGeometry.READY_AT, 1);
    }

    /** Unmaps its inbox; when nobody uses it any more. */
    void close() {
        leaveRoom();
        lease.close();
    }

    @Override
    public QueuePairType type() {
        return TYPES[description.service().type()];
    }

    @Override
    public int qpNum() {
        return qpNum;
    }

    @Override
    public QueuePairState state() {
        return PeerNotes.state(notes);
    }

    @Override
    public boolean isServing() {
        return !isGone() && lives() == description.lives() && Peer.serves(state());
    }

    @Override
    public Path path() {
        Path.Responding responding = PeerNotes.responding(notes);
        int mtu = PeerNotes.mtu(notes);
        if (path == null || path.mtuBytes() != mtu || !path.responder().equals(responding)) {
            path = new Path(nic.gid(), user.path().localGid(), user.qpNum(), mtu, responding, UNKNOWN, 0);
        }
        return path;
    }

    @Override
    public long lives() {
        return PeerNotes.lives(notes);
    }

    @Override
    public long epoch() {
        return nic.table().epoch();
    }

    @Override
    public ReceiveLane receiveLane() {
        return lane;
    }

    @Override
    public ReceiveQueue receiveQueue() {
        return queue;
    }

    @Override
    public SharedReceives shared() {
        return null;
    }

    @Override
    public KeyCache keys(int kind) {
        return KeyCache.ofForeign(nic.table(), this, kind, description.domain(), qpNum);
    }

    @Override
    public NicCounters nicCounters() {
        return nic.counters();
    }

    @Override
    public void producer(Requester requester) {
        // The owner knows since it has opened the inbox.
    }

    @Override
    public void noteEstablished() {
        if (state() == QueuePairState.RTR) {
            nic.notice(qpNum, user.qpNum(), Kind.COMM_EST.ordinal());
        }
    }

    @Override
    public boolean enterError(Kind event) {
        nic.notice(qpNum, user.qpNum(), event == null ? NO_EVENT : event.ordinal());
        return true;
    }

    @Override
    public long generationAt() {
        return nic.board().address() + Board.GENERATION_AT;
    }

    @Override
    public long guardAt() {
        return inbox + QueuePairGeometry.GUARD_AT;
    }

    @Override
    public boolean isOutdated() {
        return !isGone() && lives() != description.lives();
    }

    @Override
    public boolean isDelegating() {
        return description.service().draws() || queue.isCounted();
    }

    @Override
    public Delegate delegate() {
        return this;
    }

    @Override
    public MemorySegment room(long bytes) {
        long wanted = DelegatedRequest.PAYLOAD_AT + bytes;
        if (room != null && room.byteSize() >= wanted) {
            return room;
        }
        leaveRoom();
        // At least so much that short messages soon find what they need.
        long size = Math.max(FIRST_ROOM_BYTES, Long.highestOneBit(wanted - 1) << 1);
        Arena arena = Arena.ofShared();
        try (MemoryFile file = MemoryFile.create("verbena-requests", size)) {
            MemorySegment mapped = file.map(true, arena);
            nic.attachment().room(qpNum, user.qpNum(), file);
            room = mapped;
            roomMemory = arena;
            return room;
        } catch (IOException e) {
            arena.close();
            return null;
        }
    }

    private void leaveRoom() {
        if (room != null) {
            room = null;
            roomMemory.close();
        }
    }

    @Override
    public void ask() {
        nic.attachment().asked(qpNum, user.qpNum());
    }

    @Override
    public void done() {
        if (room != null && room.byteSize() > Deliveries.KEPT_BYTES) {
            leaveRoom();
        }
    }

    @Override
    public boolean isGone() {
        return cut || nic.isGone();
    }

    @Override
    public void cutOff() {
        cut = true;
    }

    @Override
    public boolean hasCutOff() {
        return PeerNotes.isCutOff(notes, description.lives());
    }

    @Override
    public MemorySegment known(int key, long base) {
        RemoteNic.Region region = regions.get(key);
        if (!nic.isGood(region, base)) {
            region = nic.known(key);
            if (!nic.isGood(region, base)) {
                return null;
            }
            keep(key, region);
        }
        return region.memory();
    }

    private void keep(int key, RemoteNic.Region region) {
        if (regions.size() >= mostRegions) {
            regions.values().removeIf(RemoteNic.Region::isForgotten);
            mostRegions = Math.max(FEW_REGIONS, 2 * regions.size());
        }
        regions.put(key, region);
    }

    @Override
    public void map(int key, long base) {
        // What can't be mapped is known too.
        if (!mapping && !nic.isGood(regions.get(key), base)) {
            mapping = true;
            try {
                nic.seek(() -> {
                    try {
                        nic.map(key, base);
                    } finally {
                        mapping = false;
                    }
                });
            } catch (Error e) {
                mapping = false; // no more threads: the owner executes the request
            }
        }
    }

    @Override
    public boolean isMapping() {
        return mapping;
    }
}
