package io.verbena.nic.wire;

import io.verbena.nic.counters.NicCounters;
import io.verbena.nic.direct.Endpoint;
import io.verbena.nic.direct.Engine;
import io.verbena.nic.direct.Fabric;
import io.verbena.nic.direct.Progress;
import io.verbena.nic.link.CountedLink;
import io.verbena.nic.link.Marks;
import io.verbena.nic.link.PacketLink;
import io.verbena.nic.link.PacketLinks;
import io.verbena.nic.link.PacketPath;
import io.verbena.nic.link.PacketReceiver;
import io.verbena.nic.memory.CheckedAccess;
import io.verbena.nic.memory.Guard;
import io.verbena.nic.memory.RegionTable;
import io.verbena.nic.memory.Roster;
import io.verbena.nic.os.FaultReports;
import io.verbena.rc.HostMemory;
import io.verbena.rc.SegmentSource;
import io.verbena.rc.memory.MemoryTable;
import io.verbena.rc.packet.PacketView;
import io.verbena.rc.packet.PacketWriter;
import io.verbena.rc.packet.Verdict;
import io.verbena.verbs.AsyncEvent.QueuePairEvent.Kind;
import io.verbena.verbs.Gid;
import io.verbena.verbs.QueuePairType;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * Takes and sends the packets of a NIC. One turn: packets that have arrived, queue pairs that were rung for, those
 * whose deadline is over; each of these may send some packets. By the holder of the progress role, one at a time;
 * memory that control calls may take away is touched inside a guard.
 */
public final class NicLoop extends Roster.Member implements Engine, PacketReceiver {
    /** Packets taken in one turn. */
    private static final int MOST_RECEIVED = 64;
    /** Full turns in a row after which answers count as missing: a socket's buffer holds no more, so it is a flood. */
    private static final int MOST_FULL_TURNS = 256;
    /** Packets that one queue pair sends before the next one may. */
    private static final int MOST_IN_A_ROW = 16;
    /** Who posts wants to send: only at every eighth post arrivals are looked for, so that a row of posts goes on. */
    private static final int LOOK_MASK = 7;
    /** Packets sent in one turn. */
    private static final int MOST_SENT = 64;
    /** Between two turns while the system takes no packets and deadlines are over. */
    private static final long BLOCKED_REST_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int PARTITION_MASK = 0x7FFF;

    private final PacketLink link;
    private final Progress progress;
    private final PacketCounts counts;
    private final LinkCounts linkCounts;
    private final Tuning tuning = Tuning.USUAL;
    private final Guard guard = new Guard();
    private final Doorbells bells = new Doorbells();
    private final Deadlines deadlines = new Deadlines();
    private final Checksums checksums;
    private final DatagramHeader datagramHeader;
    private final PacketView view = new PacketView();
    private final PacketWriter writer = new PacketWriter();
    private final Int2ObjectHashMap<WiredPair> pairs = new Int2ObjectHashMap<>();
    private final LoopThread thread;
    private final ActivePairs active = new ActivePairs();
    private final FaultReports faults;
    /** Taken from the bells, and not yet among the active ones. */
    private WiredPair rung;
    private long now;
    /** Packets that had come by then have been looked at. */
    private long seen = System.nanoTime();
    private int fullTurns;
    private long packets;
    private int rungTurns;
    private boolean blocked;
    /** Whether nobody posts or polls, as far as one can tell: the thread drives. */
    private boolean alone;
    private boolean closed;
    private volatile long turns;
    private volatile long due = Progress.NEVER;

    /**
     * Makes the loop of a NIC.
     *
     * @param link where packets come from and go to; closed with the loop
     * @param progress what drives it
     * @param counters where it counts
     * @param name of the NIC
     * @param dedicated whether its thread drives all the time, or only when nobody else does
     */
    public NicLoop(CountedLink link, Progress progress, NicCounters counters, String name, boolean dedicated) {
        this.link = link;
        this.progress = progress;
        counts = new PacketCounts(counters);
        linkCounts = new LinkCounts(link.counters(), counters);
        checksums = new Checksums(link.gid());
        datagramHeader = new DatagramHeader(link.gid());
        faults = new FaultReports(name);
        progress.engine(this);
        thread = new LoopThread(this, progress, name, dedicated);
    }

    /** Where packets come from and go to. */
    public PacketLink link() {
        return link;
    }

    /**
     * The way to an address; a control call.
     *
     * @param peer an address that {@link #requireReachable} lets pass
     * @param marks what the headers of packets to it say
     * @return how packets get there
     */
    public PacketPath pathTo(Gid peer, Marks marks) {
        return link.pathTo(peer, marks);
    }

    /**
     * Refuses an address that no packet of this NIC can reach, since it is of the other family; a control call.
     *
     * @param peer the address of a NIC
     * @throws io.verbena.verbs.VerbsException EINVAL, as Linux has it
     */
    public void requireReachable(Gid peer) {
        PacketLinks.requireSameFamily(link.gid(), peer);
    }

    Tuning tuning() {
        return tuning;
    }

    DatagramHeader datagramHeader() {
        return datagramHeader;
    }

    // Queue pairs; under the control lock

    /**
     * Serves a queue pair from now on.
     *
     * @param endpoint a new one
     * @param table the device's keys
     * @param regions the device's regions
     */
    public void add(Endpoint endpoint, MemoryTable table, RegionTable regions) {
        Segments segments = new Segments(regions);
        HostMemory memory = new HostMemory(table, segments, endpoint.domain(), endpoint.qpNum());
        int domain = endpoint.shared() == null ? endpoint.domain() : endpoint.shared().domain();
        WiredPair pair = new WiredPair(this, endpoint, memory, domain == endpoint.domain() ? memory
                : new HostMemory(table, segments, domain, endpoint.qpNum()));
        if (endpoint.type() == QueuePairType.UD) {
            link.watchMarks();
        }
        endpoint.outlet(pair);
        progress.exclusively(() -> pairs.put(endpoint.qpNum(), pair));
    }

    /**
     * Serves a queue pair no longer, after it was reset for the last time.
     *
     * @param endpoint which
     */
    public void remove(Endpoint endpoint) {
        progress.exclusively(() -> pairs.remove(endpoint.qpNum()).close());
    }

    /** Whether a queue pair number is in use. */
    public boolean isTaken(int qpNum) {
        return pairs.containsKey(qpNum);
    }

    /** The memory behind keys that no raw address opens. */
    private record Segments(RegionTable regions) implements SegmentSource {
        @Override
        public MemorySegment segment(int region) {
            return regions.segment(region);
        }

        @Override
        public boolean persist(int region, long offset, long length) {
            return CheckedAccess.force(regions.segment(region), offset, length);
        }
    }

    // Driving

    void ring(WiredPair pair) {
        bells.ring(pair);
        progress.runIfPending();
    }

    @Override
    public boolean isRung() {
        return bells.isRung();
    }

    /** How often it was driven. */
    long turns() {
        return turns;
    }

    /** Packets taken and sent; a snapshot. */
    long packets() {
        return packets;
    }

    /** When it must be driven next; {@link Progress#NOW} and {@link Progress#NEVER} as there. */
    long due() {
        return due;
    }

    @Override
    public void handOver() {
        thread.handOver();
    }

    /** Has the thread look at deadlines again that came from elsewhere. */
    public void deadlineMoved() {
        thread.wakeFor(Progress.NOW);
    }

    @Override
    public void run() {
        if (closed) {
            return;
        }
        guard.enter();
        try {
            Fabric.LOCAL.generation().roster().enlist(this);
            now = System.nanoTime();
            alone = thread.drivesAlone();
            turn();
        } catch (RuntimeException | Error e) {
            faults.add("failed in the middle of a turn and goes on", e);
        } finally {
            guard.exit();
        }
        turns = turns + 1;
        boolean wasBlocked = blocked;
        blocked = link.isRefused();
        due = nextDue();
        // A thread that sleeps already does not know that it has to wait for the system, too.
        thread.wakeFor(blocked && !wasBlocked ? Progress.NOW : due);
    }

    private long nextDue() {
        if (link.hasMore() || !active.isEmpty() && !blocked) {
            return Progress.NOW;
        }
        if (deadlines.isEmpty()) {
            return Progress.NEVER;
        }
        long next = deadlines.next();
        long earliest = now + BLOCKED_REST_NS;
        // What is over but needs a packet stays over until one can be sent.
        return blocked && next - earliest < 0 ? earliest : next;
    }

    private void turn() {
        int received = 0;
        // Nobody has waited in vain for an answer that is there already.
        if (!bells.isRung() || (++rungTurns & LOOK_MASK) == 0 || deadlines.isDue(now)) {
            received = link.receive(this, MOST_RECEIVED);
            if (received < MOST_RECEIVED && !link.hasMore() || ++fullTurns == MOST_FULL_TURNS) {
                fullTurns = 0;
                seen = now;
            }
        }
        activateRung();
        for (WiredPair pair = deadlines.takeDue(now); pair != null; pair = deadlines.takeDue(now)) {
            active.addDue(pair);
        }
        int sent = 0;
        for (WiredPair pair = null, last = active.last(); pair != last && sent < MOST_SENT; ) {
            pair = active.take();
            sent += serve(pair);
        }
        packets += received + sent;
        counts.received(received);
        counts.sent(sent);
        link.flush();
        linkCounts.update();
    }

    private void activateRung() {
        if (rung == null) {
            rung = bells.takeAll();
        }
        while (rung != null) {
            WiredPair pair = rung;
            rung = pair.nextRung;
            pair.nextRung = null;
            pair.clearRung();
            active.add(pair);
        }
    }

    /** Gives a queue pair a turn soon; by the holder of the progress role, or while nobody holds it. */
    void activate(WiredPair pair) {
        active.add(pair);
        goOn();
    }

    /** There is something to do that the last turn knew nothing of. */
    private void goOn() {
        due = Progress.NOW;
        thread.wakeFor(Progress.NOW);
    }

    /** Has no deadline of a queue pair; it may get one more turn. */
    void forget(WiredPair pair) {
        deadlines.remove(pair);
    }

    /** Sends what a transport still has to say before it is given up. */
    void sayLast(Transport transport) {
        long room = link.room();
        if (room != 0 && transport.lastPacket(writer.wrap(room, PacketView.MAX_BYTES)) && transport.way() != null) {
            link.send(transport.way(), writer.length());
            link.flush();
            if (link.isRefused()) {
                goOn(); // nobody else waits until the system takes it
            }
        }
    }

    /** Has a queue pair send; returns how many packets it sent. */
    private int serve(WiredPair pair) {
        int sent = 0;
        try {
            if (!pair.begin(now, seen, alone)) {
                return 0;
            }
            boolean more = true;
            while (sent < MOST_IN_A_ROW) {
                long room = link.room();
                if (room == 0) {
                    break;
                }
                more = pair.nextPacket(writer.wrap(room, PacketView.MAX_BYTES), now);
                if (!more) {
                    break;
                }
                PacketPath way = pair.way();
                if (way != null) {
                    link.send(way, writer.length());
                } else {
                    counts.unreachable(pair);
                }
                sent++;
            }
            if (more) {
                active.add(pair);
            }
            pair.end(deadlines);
        } catch (RuntimeException | Error e) {
            fail(pair, e);
        }
        return sent;
    }

    /** A fault of ours costs one queue pair, and not whoever happens to drive it. */
    private void fail(WiredPair pair, Throwable e) {
        faults.add("goes on without queue pair " + pair.endpoint().qpNum() + ", which failed and is in ERR", e);
        pair.endpoint().enterError(Kind.QP_FATAL);
    }

    /** How much has failed; by any thread. */
    long failures() {
        return faults.count();
    }

    // Packets

    @Override
    public void onPacket(long address, int bytes, long sourceHigh, long sourceLow, int sourcePort) {
        WiredPair pair = null;
        try {
            Verdict verdict = view.wrap(address, bytes);
            if (verdict == Verdict.ACCEPTED) {
                pair = pairs.get(view.destinationQp());
                verdict = pair == null ? Verdict.UNKNOWN_QP : admit(pair, sourceHigh, sourceLow, sourcePort);
            }
            if (verdict == Verdict.ACCEPTED) {
                verdict = take(pair, sourceHigh, sourceLow);
            }
            if (verdict != Verdict.ACCEPTED) {
                counts.dropped(verdict, pair);
            }
        } catch (RuntimeException | Error e) {
            counts.dropped(Verdict.WRONG_STATE, null);
            if (pair != null) {
                fail(pair, e);
            } else {
                faults.add("dropped a packet that it failed with", e);
            }
        }
    }

    private Verdict admit(WiredPair pair, long sourceHigh, long sourceLow, int sourcePort) {
        Verdict verdict = pair.admits(view, sourceHigh, sourceLow);
        if (verdict != Verdict.ACCEPTED) {
            return verdict;
        }
        if ((view.pkey() & PARTITION_MASK) != PARTITION_MASK) {
            return Verdict.BAD_PKEY;
        }
        return checksums.isRight(view, sourceHigh, sourceLow, sourcePort) ? Verdict.ACCEPTED : Verdict.BAD_ICRC;
    }

    private Verdict take(WiredPair pair, long sourceHigh, long sourceLow) {
        if (pair.endpoint().type() == QueuePairType.UD) {
            datagramHeader.describe(sourceHigh, sourceLow, view.length(), link.marks());
        }
        active.add(pair);
        return pair.onPacket(view, now);
    }

    // Life

    @Override
    protected long activity() {
        return guard.sample();
    }

    @Override
    protected void awaitQuiescent() {
        guard.awaitQuiescent();
    }

    /** Starts the thread that drives when nobody else does. */
    public void start() {
        thread.start();
    }

    /** Gives the address back; waits until the thread is gone. Under the control lock, without queue pairs. */
    public void close() {
        thread.stop();
        progress.exclusively(() -> closed = true);
        Fabric.LOCAL.generation().roster().remove(this);
        link.close();
    }
}
