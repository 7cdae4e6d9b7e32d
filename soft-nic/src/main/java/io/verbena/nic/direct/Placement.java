package io.verbena.nic.direct;

import io.verbena.nic.memory.CheckedAccess;
import io.verbena.nic.memory.KeyCache;
import io.verbena.nic.memory.OffHeap;
import io.verbena.nic.ring.SendWqe;
import io.verbena.verbs.Access;
import io.verbena.verbs.FlushType;
import io.verbena.verbs.WcStatus;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * The placement extensions: ATOMIC_WRITE and FLUSH (IBA Annex A19). Says what went wrong as a status of the initiator.
 * Used by the holder of the send queue, inside its guard.
 */
final class Placement {
    private static final int MISALIGNED = WcStatus.REM_INV_REQ_ERR.code();

    private final Link link;
    private final long[] value = new long[1];

    Placement(Link link) {
        this.link = link;
    }

    /** Whether 8 bytes may be accessed atomically at an address. */
    static boolean isAligned(long address) {
        return (address & Long.BYTES - 1) == 0;
    }

    /** Writes 8 local bytes to the peer in one store, after everything written before. */
    int atomicWrite(Buffers source, long remoteAddress, int rkey) {
        if (!load(source)) {
            return WcStatus.LOC_PROT_ERR.code();
        }
        long there = link.remote.translate(rkey, remoteAddress, Long.BYTES, Access.REMOTE_WRITE);
        if (there == KeyCache.FAULT) {
            return WcStatus.REM_ACCESS_ERR.code();
        }
        if (there >= 0) {
            if (!isAligned(there)) {
                return MISALIGNED;
            }
            OffHeap.putLongRelease(there, value[0]);
            return 0;
        }
        MemorySegment segment = link.remote.segment();
        long offset = link.remote.offset();
        if (!isAligned(segment.address() + offset)) {
            return MISALIGNED;
        }
        return CheckedAccess.putLongRelease(segment, offset, value[0]) ? 0 : WcStatus.REM_ACCESS_ERR.code();
    }

    private boolean load(Buffers source) {
        source.available();
        long here = source.translate(Long.BYTES);
        if (here >= 0) {
            value[0] = OffHeap.getLong(here);
            return true;
        }
        long offset = here == KeyCache.FAULT ? KeyCache.FAULT : source.locate(Long.BYTES);
        return offset != KeyCache.FAULT && CheckedAccess.getLong(source.segment(), offset, value);
    }

    /** The rights that a FLUSH needs. */
    static int rights(long wqe) {
        int placement = SendWqe.imm(wqe);
        return ((placement & FlushType.GLOBAL) != 0 ? Access.FLUSH_GLOBAL : 0)
                | ((placement & FlushType.PERSISTENT) != 0 ? Access.FLUSH_PERSISTENT : 0);
    }

    /**
     * Flushes. Earlier writes of the queue pair are in memory already, so global placement is a barrier; persistent
     * placement writes the mapped file back, inside the guard: control calls wait as long as the storage takes.
     */
    int flush(long wqe) {
        int rights = rights(wqe);
        boolean whole = SendWqe.swap(wqe) == FlushType.REGION;
        long length = SendWqe.compareAdd(wqe);
        boolean allowed = whole
                ? link.remote.locateAll(SendWqe.rkey(wqe), rights)
                : link.remote.locate(SendWqe.rkey(wqe), SendWqe.remoteAddress(wqe), length, rights);
        if (!allowed) {
            return WcStatus.REM_ACCESS_ERR.code();
        }
        VarHandle.fullFence();
        if ((rights & Access.FLUSH_PERSISTENT) == 0) {
            return 0;
        }
        MemorySegment mapped = link.remote.segment();
        boolean done = CheckedAccess.force(mapped, link.remote.offset(), whole ? link.remote.length() : length);
        return done ? 0 : (mapped.scope().isAlive() ? WcStatus.REM_OP_ERR : WcStatus.REM_ACCESS_ERR).code();
    }
}
