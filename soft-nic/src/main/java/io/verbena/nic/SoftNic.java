package io.verbena.nic;

import io.verbena.nic.counters.NicCounters;
import io.verbena.nic.direct.Endpoint;
import io.verbena.nic.direct.Fabric;
import io.verbena.nic.direct.Progress;
import io.verbena.nic.link.CountedLink;
import io.verbena.nic.memory.BlockPool;
import io.verbena.nic.memory.Blocks;
import io.verbena.nic.memory.Generation;
import io.verbena.nic.memory.RegionTable;
import io.verbena.nic.shm.Bells;
import io.verbena.nic.shm.Board;
import io.verbena.nic.shm.Neighbourhood;
import io.verbena.nic.wire.NicLoop;
import io.verbena.rc.memory.MemoryTable;
import io.verbena.verbs.Gid;
import io.verbena.verbs.GidEntry;
import io.verbena.verbs.PortAttributes;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.BackoffIdleStrategy;

/**
 * One software NIC: its memory table, block pool, queue pair numbers and progress. Its methods are called with the
 * control lock held, except those that return a final field.
 */
final class SoftNic {
    private static final long STOP_MS = 5_000;
    private static final int QPN_MASK = 0xFF_FFFF;
    private static final int FIRST_QPN = 16;
    private static final long LINK_LOCAL = 0xFE80L << 48;
    private static final long EUI_FLIP = 1L << 57;

    private final SoftDevice device;
    private final NicConfig config;
    private final SecureRandom random = new SecureRandom();
    /** What other processes may read; null when there is no way to them. */
    private final Board board;
    private final NicMemory memory;
    private final Neighbourhood neighbourhood;
    /** How other processes are heard; null when there is no way from them. */
    private final Hearing hearing;
    private final Waiters deadlineWaiters = new Waiters();
    private final Progress progress;
    private final Waiting waiting;
    /** Null unless other processes may wait for this one. */
    private final Timekeeper timekeeper;
    private final Allocations allocations = new Allocations();
    private final NicCounters counters;
    private final ObjectCounts counts;
    private final Shared shared = new Shared();
    private final Set<SoftContext> contexts = new HashSet<>();
    private final GidEntry gid;
    /** The progress thread and what ends it; null unless there is one. */
    private final AgentRunner agent;
    private final Thread agentThread;
    /** The way to others by packets; null when there is none. */
    private final NicLoop wire;
    private int nextQpNum;
    private int nextDomain = 1;

    /**
     * Opens a NIC.
     *
     * @param device its name
     * @param config its settings
     * @param packets opens its link to others; returns null when there is none. It is closed with the NIC
     */
    SoftNic(SoftDevice device, NicConfig config, Supplier<CountedLink> packets) {
        this.device = device;
        progress = new Progress(device.name(), this::deadlineMoved);
        this.config = config;
        boolean dedicated = config.progress() == NicConfig.ProgressMode.DEDICATED;
        Undo undo = new Undo();
        try {
            // First, since an address is often taken.
            CountedLink link = undo.add(packets.get(), CountedLink::close);
            board = config.link() == NicConfig.Link.SHM
                    ? undo.add(SharedMemory.board(device.name()), Board::close) : null;
            memory = undo.add(board == null ? NicMemory.take() : NicMemory.on(board), NicMemory::give);
            waiting = new Waiting(progress, deadlineWaiters, config.waiting());
            hearing = board == null ? null : new Hearing(new Bells(deadlineWaiters::wakeAll), memory.pool);
            nextQpNum = random.nextInt(FIRST_QPN, QPN_MASK);
            Gid address = link == null ? new Gid(LINK_LOCAL, device.nodeGuid() ^ EUI_FLIP) : link.gid();
            gid = new GidEntry(address, 0, NicLimits.PORT, GidEntry.Type.ROCE_V2,
                    link == null ? "loopback" : config.wire().interfaceName());
            counters = undo.add(NicCounters.open(device.name(), config.counters()), NicCounters::close);
            counts = new ObjectCounts(counters);
            neighbourhood = board == null ? null : openNeighbourhood(undo);
            wire = link == null ? null
                    : undo.add(new NicLoop(link, progress, counters, device.name(), dedicated), NicLoop::close);
            if (wire != null) {
                wire.start();
            }
            boolean byAgent = dedicated && wire == null;
            agent = byAgent ? new AgentRunner(new BackoffIdleStrategy(), this::agentFailed, null,
                    new ProgressAgent(progress, device.name())) : null;
            agentThread = byAgent ? AgentRunner.startOnThread(agent, this::newAgentThread) : null;
            timekeeper = board == null || dedicated ? null : new Timekeeper(device.name(), progress);
        } catch (RuntimeException | Error e) {
            undo.all();
            throw e;
        }
    }

    private void deadlineMoved() {
        deadlineWaiters.wakeAll();
        if (timekeeper != null) {
            timekeeper.wake();
        }
        if (wire != null) {
            wire.deadlineMoved();
        }
    }

    private Neighbourhood openNeighbourhood(Undo undo) {
        Generation generation = fabric().generation();
        generation.addCopy(board.generation());
        undo.add(board.generation(), generation::removeCopy);
        return undo.add(
                SharedMemory.open(gid.gid(), config.peerTimeoutMs(), board, memory.table, this::share, hearing.bells()),
                Neighbourhood::close);
    }

    private Neighbourhood.Share share(int region) {
        MemorySegment segment = memory.regions.segment(region);
        SoftAllocatedMemory allocation = allocations.find(segment);
        return allocation == null ? null : allocation.share(segment);
    }

    private Thread newAgentThread(Runnable task) {
        Thread thread = new Thread(task, device.name() + "-progress");
        thread.setDaemon(true);
        return thread;
    }

    private void agentFailed(Throwable error) {
        System.getLogger(SoftNic.class.getPackageName())
                .log(System.Logger.Level.ERROR, device.name() + ": the progress thread failed and goes on", error);
    }

    SoftContext newContext() {
        SoftContext context = new SoftContext(this);
        contexts.add(context);
        return context;
    }

    void contextClosed(SoftContext context) {
        contexts.remove(context);
        if (contexts.isEmpty()) {
            Nics.closed(this);
            counters.close();
            if (neighbourhood != null) {
                fabric().generation().removeCopy(board.generation());
                neighbourhood.close();
            }
            if (agent != null) {
                stopAgent();
            }
            if (timekeeper != null) {
                timekeeper.stop();
            }
            if (wire != null) {
                wire.close();
            }
            memory.give();
        }
    }

    /**
     * Ends the progress thread and waits until it is gone: closing the runner may return a moment earlier, and does not
     * wait at all for a thread that has yet to begin.
     */
    private void stopAgent() {
        agent.close();
        try {
            agentThread.join(STOP_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    int takeQpNum() {
        do {
            nextQpNum = nextQpNum + 1 >= QPN_MASK ? FIRST_QPN : nextQpNum + 1;
        } while (wire != null ? wire.isTaken(nextQpNum) : fabric().isTaken(gid.gid(), nextQpNum));
        return nextQpNum;
    }

    int takeDomain() {
        return nextDomain++;
    }

    SoftDevice device() {
        return device;
    }

    NicConfig config() {
        return config;
    }

    GidEntry gid() {
        return gid;
    }

    /** The way to other processes; null when there is none. */
    Neighbourhood neighbourhood() {
        return neighbourhood;
    }

    /** The way to others by packets; null when there is none. */
    NicLoop wire() {
        return wire;
    }

    /** What the port can do. */
    PortAttributes port() {
        return wire == null ? NicLimits.port()
                : NicLimits.port(Math.min(wire.link().mtuBytes(), config.wire().mtuBytes()));
    }

    /** Has an endpoint reached by whoever can reach this NIC. */
    void add(Endpoint endpoint) {
        if (wire == null) {
            fabric().add(gid.gid(), endpoint);
        } else {
            wire.add(endpoint, table(), regions());
            fabric().enlist(endpoint);
        }
    }

    /** Ends the way to an endpoint; data calls that use it already are not stopped by this. */
    void remove(Endpoint endpoint) {
        if (wire == null) {
            fabric().remove(gid.gid(), endpoint);
        }
    }

    /** Forgets an endpoint that was reset for the last time. */
    void forget(Endpoint endpoint) {
        if (wire != null) {
            wire.remove(endpoint);
        }
        fabric().forget(endpoint);
    }

    /** How other processes are heard; null when there is no way from them. */
    Hearing hearing() {
        return hearing;
    }

    BlockPool pool() {
        return memory.pool;
    }

    /** For an object that takes memory from the pool piece by piece. */
    Blocks newBlocks() {
        return new Blocks(memory.pool::take, memory.pool::give);
    }

    MemoryTable table() {
        return memory.table;
    }

    RegionTable regions() {
        return memory.regions;
    }

    Progress progress() {
        return progress;
    }

    Waiting waiting() {
        return waiting;
    }

    Allocations allocations() {
        return allocations;
    }

    Shared shared() {
        return shared;
    }

    NicCounters counters() {
        return counters;
    }

    ObjectCounts counts() {
        return counts;
    }

    Fabric fabric() {
        return Fabric.LOCAL;
    }
}
