package io.verbena.nic;

import io.verbena.nic.counters.NicCounters;
import io.verbena.nic.direct.Fabric;
import io.verbena.nic.direct.Progress;
import io.verbena.nic.memory.BlockPool;
import io.verbena.nic.memory.Blocks;
import io.verbena.nic.memory.RegionTable;
import io.verbena.rc.memory.MemoryTable;
import io.verbena.verbs.Gid;
import io.verbena.verbs.GidEntry;
import java.security.SecureRandom;
import java.util.HashSet;
import java.util.Set;
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
    private final NicMemory memory = NicMemory.take();
    private final Waiters deadlineWaiters = new Waiters();
    private final Progress progress = new Progress(deadlineWaiters::wakeAll);
    private final Waiting waiting = new Waiting(progress, deadlineWaiters);
    private final Allocations allocations = new Allocations();
    private final NicCounters counters;
    private final ObjectCounts counts;
    private final Shared shared = new Shared();
    private final Set<SoftContext> contexts = new HashSet<>();
    private final GidEntry gid;
    private final AgentRunner agent;
    private int nextQpNum;
    private int nextDomain = 1;

    SoftNic(SoftDevice device, NicConfig config) {
        this.device = device;
        this.config = config;
        nextQpNum = random.nextInt(FIRST_QPN, QPN_MASK);
        Gid address = new Gid(LINK_LOCAL, device.nodeGuid() ^ EUI_FLIP);
        gid = new GidEntry(address, 0, NicLimits.PORT, GidEntry.Type.ROCE_V2, "loopback");
        counters = NicCounters.open(device.name(), config.counters());
        counts = new ObjectCounts(counters);
        agent = config.progress() == NicConfig.ProgressMode.DEDICATED ? startAgent() : null;
    }

    private AgentRunner startAgent() {
        AgentRunner runner = new AgentRunner(
                new BackoffIdleStrategy(), this::agentFailed, null, new ProgressAgent(progress, device.name()));
        AgentRunner.startOnThread(runner, task -> {
            Thread thread = new Thread(task, device.name() + "-progress");
            thread.setDaemon(true);
            return thread;
        });
        return runner;
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
            if (agent != null) {
                stopAgent();
            }
            memory.give();
        }
    }

    /** Ends the progress thread and waits until it is gone: closing the runner may return a moment earlier. */
    private void stopAgent() {
        Thread thread = agent.thread();
        agent.close();
        try {
            if (thread != null) {
                thread.join(STOP_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    int takeQpNum() {
        do {
            nextQpNum = nextQpNum + 1 >= QPN_MASK ? FIRST_QPN : nextQpNum + 1;
        } while (fabric().isTaken(gid.gid(), nextQpNum));
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
