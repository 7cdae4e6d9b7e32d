package io.verbena.nic.direct;

import io.verbena.nic.memory.CheckedAccess;
import io.verbena.nic.memory.Generation;
import io.verbena.nic.memory.KeyCache;
import io.verbena.nic.memory.OffHeap;
import io.verbena.nic.ring.SendWqe;
import io.verbena.verbs.Access;
import io.verbena.verbs.WcStatus;
import java.lang.foreign.MemorySegment;

/**
 * Moves the bytes of one work request, in chunks between which revoked keys are noticed. Says what went wrong as a
 * status of the initiator. Used by the holder of the send queue, inside its guard.
 */
final class Transfer {

    private static final Generation GENERATION = Fabric.LOCAL.generation();

    private final Link link;
    private long seen;

    Transfer(Link link) {
        this.link = link;
    }

    /** Starts a work request: what changed before is known. */
    void begin() {
        seen = GENERATION.get();
    }

    /**
     * Lets control calls pass that wait for this requester, if something changed since the last look. Between chunks.
     *
     * @return whether the connection is no longer the one that the work request began on
     */
    private boolean isCutOff() {
        if (GENERATION.get() == seen && !link.isPeerChanged()) {
            return false;
        }
        long before = link.connection();
        link.breathe();
        seen = GENERATION.get();
        return !link.isUsable() || link.connection() != before || link.isOwnReset();
    }

    /** Moves between the local buffers and the peer's memory; returns a status code. */
    int remote(Buffers local, long remoteAddress, int rkey, int rights) {
        boolean toRemote = rights == Access.REMOTE_WRITE;
        long done = 0;
        for (long part = local.available(); part > 0; part = local.available()) {
            if (isCutOff()) {
                return Outcome.UNANSWERED;
            }
            long length = Math.min(part, Link.CHUNK_BYTES);
            long here = local.translate(length);
            if (here == KeyCache.FAULT) {
                return WcStatus.LOC_PROT_ERR.code();
            }
            long there = link.remote.translate(rkey, remoteAddress + done, length, rights);
            if (there == KeyCache.FAULT) {
                return WcStatus.REM_ACCESS_ERR.code();
            }
            int status = here >= 0 && there >= 0
                    ? raw(here, there, length, toRemote)
                    : checked(local, remoteAddress + done, rkey, length, rights);
            if (status != 0) {
                return status;
            }
            local.advance(length);
            done += length;
        }
        return 0;
    }

    private static int raw(long here, long there, long length, boolean toRemote) {
        if (toRemote) {
            OffHeap.copyLastByteLast(here, there, length);
        } else {
            OffHeap.copy(there, here, length);
        }
        return 0;
    }

    private int checked(Buffers local, long remoteAddress, int rkey, long length, int rights) {
        boolean toRemote = rights == Access.REMOTE_WRITE;
        long here = local.locate(length);
        if (here == KeyCache.FAULT) {
            return WcStatus.LOC_PROT_ERR.code();
        }
        if (!link.remote.locate(rkey, remoteAddress, length, rights)) {
            return WcStatus.REM_ACCESS_ERR.code();
        }
        MemorySegment hereSegment = local.segment();
        MemorySegment thereSegment = link.remote.segment();
        long there = link.remote.offset();
        int gone = toRemote
                ? CheckedAccess.copy(hereSegment, here, thereSegment, there, length)
                : CheckedAccess.copy(thereSegment, there, hereSegment, here, length);
        if (gone == 0) {
            return 0;
        }
        boolean localGone = gone == CheckedAccess.SOURCE_GONE == toRemote;
        return localGone ? WcStatus.LOC_PROT_ERR.code() : WcStatus.REM_ACCESS_ERR.code();
    }

    /** Moves from local buffers to the peer's receive buffers; a status code or {@link Outcome#RECEIVE_FAULT}. */
    int message(Buffers source, Buffers target) {
        return message(source, target, true);
    }

    /** The same for what is short enough to be moved under one guard, and needs no connection. */
    int datagram(Buffers source, Buffers target) {
        return message(source, target, false);
    }

    private int message(Buffers source, Buffers target, boolean connected) {
        for (long part = source.available(); part > 0; part = source.available()) {
            if (connected && isCutOff()) {
                return Outcome.UNANSWERED;
            }
            long length = Math.min(Math.min(part, target.available()), Link.CHUNK_BYTES);
            if (length <= 0) {
                return Outcome.RECEIVE_FAULT;
            }
            long from = source.translate(length);
            if (from == KeyCache.FAULT) {
                return WcStatus.LOC_PROT_ERR.code();
            }
            long to = target.translate(length);
            if (to == KeyCache.FAULT) {
                return Outcome.RECEIVE_FAULT;
            }
            if (from >= 0 && to >= 0) {
                OffHeap.copy(from, to, length);
            } else {
                int gone = copyChecked(source, target, length);
                if (gone != 0) {
                    return gone == CheckedAccess.SOURCE_GONE ? WcStatus.LOC_PROT_ERR.code() : Outcome.RECEIVE_FAULT;
                }
            }
            source.advance(length);
            target.advance(length);
        }
        return 0;
    }

    private static int copyChecked(Buffers source, Buffers target, long length) {
        long from = source.locate(length);
        if (from == KeyCache.FAULT) {
            return CheckedAccess.SOURCE_GONE;
        }
        MemorySegment sourceSegment = source.segment();
        long to = target.locate(length);
        if (to == KeyCache.FAULT) {
            return CheckedAccess.TARGET_GONE;
        }
        return CheckedAccess.copy(sourceSegment, from, target.segment(), to, length);
    }

    /** Does an atomic at the peer and stores the prior value locally; returns a status code. */
    int atomic(Buffers local, long wqe, boolean swap) {
        long there = link.remote.translate(
                SendWqe.rkey(wqe), SendWqe.remoteAddress(wqe), Long.BYTES, Access.REMOTE_ATOMIC);
        if (there == KeyCache.FAULT) {
            return WcStatus.REM_ACCESS_ERR.code();
        }
        long prior;
        if (!Placement.isAligned(there >= 0 ? there : link.remote.segment().address() + link.remote.offset())) {
            return WcStatus.REM_INV_REQ_ERR.code();
        }
        if (there >= 0) {
            prior = swap ? OffHeap.compareAndExchangeLong(there, SendWqe.compareAdd(wqe), SendWqe.swap(wqe))
                    : OffHeap.getAndAddLong(there, SendWqe.compareAdd(wqe));
        } else {
            if (!CheckedAccess.atomic(
                    link.remote.segment(), link.remote.offset(), swap, SendWqe.operands(wqe))) {
                return WcStatus.REM_ACCESS_ERR.code();
            }
            prior = SendWqe.compareAdd(wqe);
        }
        return store(local, prior);
    }

    private static int store(Buffers local, long value) {
        local.available();
        long here = local.translate(Long.BYTES);
        if (here >= 0) {
            OffHeap.putLong(here, value);
            return 0;
        }
        if (here == KeyCache.FAULT) {
            return WcStatus.LOC_PROT_ERR.code();
        }
        long offset = local.locate(Long.BYTES);
        return offset != KeyCache.FAULT && CheckedAccess.putLong(local.segment(), offset, value)
                ? 0
                : WcStatus.LOC_PROT_ERR.code();
    }
}
