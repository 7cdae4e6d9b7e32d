package io.verbena.nic.shm;

import io.verbena.nic.counters.NicCounters;
import io.verbena.rc.memory.MemoryTable;
import io.verbena.verbs.Gid;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A NIC of another process that this one is attached to, and what of its memory is mapped here. */
final class RemoteNic {
    private static final System.Logger LOG = System.getLogger("io.verbena.nic");

    private final Attachment attachment;
    private final MemoryTable table;
    private final NicCounters counters;
    private final Map<Integer, Region> regions = new HashMap<>();
    private final List<Attachment.Lease<?>> leases = new ArrayList<>();

    RemoteNic(Attachment attachment, NicCounters counters) throws RefusedException {
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

    /** Memory of the owner's that is mapped here, and where it starts there. */
    record Region(long base, MemorySegment memory) {}

    /** The memory behind a key; null when it is not to be had. Asks the owner the first time. */
    synchronized Region region(int key, long base) {
        Region known = regions.get(key);
        if (known != null && known.base() == base) {
            return known;
        }
        try {
            Attachment.Lease<Message.RegionOpened> lease = attachment.openRegion(key);
            leases.add(lease);
            Message.RegionOpened opened = lease.description();
            Region region = new Region(base, lease.memory().asSlice(opened.start(), opened.bytes()));
            regions.put(key, region);
            return region;
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "memory of another process is out of reach", e);
            return null;
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
        forgetRegions();
        attachment.close();
    }
}
