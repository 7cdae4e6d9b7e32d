package io.verbena.nic.shm;

import io.verbena.nic.counters.NicCounters;
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

    private final Attachment attachment;
    private final MemoryTable table;
    private final NicCounters counters;
    private final Consumer<Runnable> errands;
    private boolean closed;
    private final Map<Integer, Region> regions = new ConcurrentHashMap<>();
    private final List<Attachment.Lease<?>> leases = new ArrayList<>();

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

    /**
     * Memory of the owner's that is mapped here, null when it can't be.
     *
     * @param base where it starts there
     * @param withdrawals what {@link #withdrawals} said before it was mapped: afterwards it may be another's
     */
    record Region(long base, long withdrawals, MemorySegment memory) {}

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
        return region != null && region.base() == base && region.withdrawals() == withdrawals();
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
        try {
            Attachment.Lease<Message.RegionOpened> lease = attachment.openRegion(key);
            leases.add(lease);
            Message.RegionOpened opened = lease.description();
            regions.put(key, new Region(base, withdrawals, lease.memory().asSlice(opened.start(), opened.bytes())));
        } catch (IOException e) {
            // Gone, or not from its device, or no longer under this key: the owner alone can tell, and reach it.
            LOG.log(System.Logger.Level.DEBUG, "memory of another process is out of reach", e);
            regions.put(key, new Region(base, withdrawals, null));
        }
    }

    void notice(int qpNum, int userQpNum, int kind) {
        attachment.notice(qpNum, userQpNum, kind);
    }

    /** Unmaps its regions; when no queue pair is connected to it now. */
    synchronized void forgetRegions() {
        leases.forEach(Attachment.Lease::close);
        leases.clear();
        regions.clear();
    }

    /** Unmaps everything; when no queue pair is connected to it any more. */
    synchronized void close() {
        closed = true;
        forgetRegions();
        attachment.close();
    }
}
