package io.verbena.nic.shm;

import io.verbena.nic.counters.NicCounters;
import io.verbena.rc.memory.MemoryTable;
import io.verbena.verbs.Gid;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;

/** A NIC of another process that this one is attached to, and what of its memory is mapped here. */
final class RemoteNic {
    private static final System.Logger LOG = System.getLogger("io.verbena.nic");

    private final Attachment attachment;
    private final MemoryTable table;
    private final NicCounters counters;
    private final Map<Integer, Attachment.Lease<Message.RegionOpened>> regions = new HashMap<>();

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

    /** The memory behind a key; null when it is not to be had. Asks the owner the first time. */
    synchronized MemorySegment region(int key) {
        Attachment.Lease<Message.RegionOpened> lease = regions.get(key);
        if (lease == null) {
            try {
                lease = attachment.openRegion(key);
            } catch (IOException e) {
                LOG.log(System.Logger.Level.DEBUG, "memory of another process is out of reach", e);
                return null;
            }
            regions.put(key, lease);
        }
        return lease.memory().asSlice(lease.description().start(), lease.description().bytes());
    }

    void notice(int qpNum, int userQpNum, int kind) {
        attachment.notice(qpNum, userQpNum, kind);
    }

    void ring() {
        attachment.ring();
    }

    /** Unmaps everything; when no queue pair is connected to it any more. */
    synchronized void close() {
        regions.values().forEach(Attachment.Lease::close);
        regions.clear();
        attachment.close();
    }
}
