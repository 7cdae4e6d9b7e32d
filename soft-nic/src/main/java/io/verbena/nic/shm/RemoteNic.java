package io.verbena.nic.shm;

import io.verbena.nic.counters.NicCounters;
import io.verbena.nic.direct.Fabric;
import io.verbena.rc.memory.MemorySlot;
import io.verbena.rc.memory.MemoryTable;
import io.verbena.verbs.Gid;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** A NIC of another process that this one is attached to, and what of its memory is mapped here. */
final class RemoteNic {
    private static final System.Logger LOG = System.getLogger("io.verbena.nic");
    /** So many regions are kept at least, whether or not they are still there. */
    private static final int LEAST_KEPT = 16;

    private final Attachment attachment;
    private final MemoryTable table;
    private final NicCounters counters;
    private final Consumer<Runnable> errands;
    private boolean closed;
    private final Map<Integer, Region> regions = new ConcurrentHashMap<>();
    /** Those that were forgotten, but are still mapped. */
    private final List<Region> replaced = new ArrayList<>();
    /** With so many known or forgotten, those are looked for that are gone. */
    private int most = LEAST_KEPT;

    RemoteNic(Attachment attachment, NicCounters counters, Consumer<Runnable> errands) throws RefusedException {
        this.errands = errands;
        this.attachment = attachment;
        this.counters = counters;
        table = Board.tableOf(attachment.board());
    }

    Gid gid() {
        return attachment.owner();
    }

    MemorySegment board() {
        return attachment.board();
    }

    MemoryTable table() {
        return table;
    }

    /** Where is counted what it refuses; nobody reads it, since the owner counts for itself. */
    NicCounters counters() {
        return counters;
    }

    boolean isGone() {
        return attachment.isEnded();
    }

    Attachment attachment() {
        return attachment;
    }

    /** What is known of the memory behind a key. */
    static final class Region {
        private final long base;
        private final long withdrawals;
        private final MemorySegment memory;
        private final Attachment.Lease<?> lease;
        private volatile boolean forgotten;

        /**
         * Takes note.
         *
         * @param base where it starts there
         * @param withdrawals what {@link #withdrawals} said before it was mapped: afterwards it may be another's
         */
        Region(long base, long withdrawals, Attachment.Lease<Message.RegionOpened> lease) {
            this.base = base;
            this.withdrawals = withdrawals;
            this.lease = lease;
            memory = lease == null ? null
                    : lease.memory().asSlice(lease.description().start(), lease.description().bytes());
        }

        /** Where it is mapped, null when it can't be; for a data call that has found it to be good. */
        MemorySegment memory() {
            return memory;
        }

        /** Whether nobody may use it in data calls begun from now on. */
        boolean isForgotten() {
            return forgotten;
        }

        private void unmap() {
            if (lease != null) {
                lease.close();
            }
        }
    }

    /** Changes when the owner takes memory from those who have mapped it; then all is to be mapped anew. */
    long withdrawals() {
        return Board.withdrawals(attachment.board());
    }

    /** What is known of the memory behind a key; null for nothing. */
    Region known(int key) {
        return regions.get(key);
    }

    /** Whether that holds still. */
    boolean isGood(Region region, long base) {
        return region != null && !region.forgotten && region.base == base && region.withdrawals == withdrawals();
    }

    /** Does something that asks the owner, on another thread. */
    void seek(Runnable errand) {
        errands.accept(errand);
    }

    /** Maps the memory behind a key; asks the owner. */
    synchronized void map(int key, long base) {
        if (closed || isGood(regions.get(key), base)) {
            return;
        }
        long withdrawals = withdrawals();
        Attachment.Lease<Message.RegionOpened> lease = null;
        try {
            lease = attachment.openRegion(key);
        } catch (IOException e) {
            // Gone, or not from its device, or no longer under this key: the owner alone can tell, and reach it.
            LOG.log(System.Logger.Level.DEBUG, "memory of another process is out of reach", e);
        }
        forget(regions.put(key, new Region(base, withdrawals, lease)));
        if (regions.size() + replaced.size() > most) {
            unmapGone();
            most = Math.max(LEAST_KEPT, 2 * regions.size());
        }
    }

    private void forget(Region region) {
        if (region != null) {
            region.forgotten = true;
            replaced.add(region);
        }
    }

    /** Unmaps regions whose keys the owner has revoked, or opens other memory with. */
    private void unmapGone() {
        regions.forEach((key, region) -> {
            long slot = table.findAny(key);
            if (slot == 0 || !isGood(region, MemorySlot.base(slot))) {
                regions.remove(key);
                forget(region);
            }
        });
        // Whoever found one before uses it no longer; whoever looks now finds it forgotten.
        Fabric.LOCAL.quiesceRequesters();
        replaced.forEach(Region::unmap);
        replaced.clear();
    }

    void notice(int qpNum, int userQpNum, int kind) {
        attachment.notice(qpNum, userQpNum, kind);
    }

    /** Unmaps its regions; when no queue pair is connected to it now. */
    synchronized void forgetRegions() {
        regions.values().forEach(this::forget);
        regions.clear();
        replaced.forEach(Region::unmap);
        replaced.clear();
        most = LEAST_KEPT;
    }

    /** Unmaps everything; when no queue pair is connected to it any more. */
    synchronized void close() {
        closed = true;
        forgetRegions();
        attachment.close();
    }
}
