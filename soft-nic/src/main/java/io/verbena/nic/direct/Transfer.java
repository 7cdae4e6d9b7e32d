package io.verbena.nic.direct;

import io.verbena.nic.memory.Generation;
import io.verbena.nic.memory.KeyCache;
import io.verbena.nic.memory.OffHeap;
import io.verbena.verbs.WcStatus;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Moves the bytes of one work request, in chunks between which revoked keys are noticed. Says what went wrong as a
 * status of the initiator. Used by the holder of the send queue, inside its guard.
 */
final class Transfer {
    /** The peer's receive buffers may not be written (not a wire status of its own). */
    static final int RECEIVE_FAULT = -3;

    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    private final Link link;
    private final Generation generation = Fabric.LOCAL.generation();
    private long seen;

    Transfer(Link link) {
        this.link = link;
    }

    private void noticeRevocations() {
        long now = generation.get();
        if (now != seen) {
            link.clearKeys();
            seen = now;
        }
    }

    /** Moves between the local buffers and the peer's memory; returns a status code. */
    int remote(Buffers local, long remoteAddress, int rkey, int rights, boolean toRemote) {
        long done = 0;
        for (long part = local.available(); part > 0; part = local.available()) {
            noticeRevocations();
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
                    : checked(local, remoteAddress + done, rkey, length, toRemote);
            if (status != 0) {
                return status;
            }
            local.advance(length);
            done += length;
        }
        return 0;
    }

    private static int raw(long here, long there, long length, boolean toRemote) {
        OffHeap.copy(toRemote ? here : there, toRemote ? there : here, length);
        return 0;
    }

    private int checked(Buffers local, long remoteAddress, int rkey, long length, boolean toRemote) {
        long here = local.locate(length);
        MemorySegment hereSegment = local.segment();
        link.remote.locate(rkey, remoteAddress, length, 0);
        MemorySegment thereSegment = link.remote.segment();
        long there = link.remote.offset();
        int gone = toRemote
                ? Buffers.copyChecked(hereSegment, here, thereSegment, there, length)
                : Buffers.copyChecked(thereSegment, there, hereSegment, here, length);
        if (gone == 0) {
            return 0;
        }
        boolean localGone = gone == 1 == toRemote;
        return localGone ? WcStatus.LOC_PROT_ERR.code() : WcStatus.REM_ACCESS_ERR.code();
    }

    /** Moves from local buffers to the peer's receive buffers; a status code or {@link #RECEIVE_FAULT}. */
    int message(Buffers source, Buffers target) {
        for (long part = source.available(); part > 0; part = source.available()) {
            noticeRevocations();
            long length = Math.min(Math.min(part, target.available()), Link.CHUNK_BYTES);
            if (length <= 0) {
                return RECEIVE_FAULT;
            }
            long from = source.translate(length);
            if (from == KeyCache.FAULT) {
                return WcStatus.LOC_PROT_ERR.code();
            }
            long to = target.translate(length);
            if (to == KeyCache.FAULT) {
                return RECEIVE_FAULT;
            }
            if (from >= 0 && to >= 0) {
                OffHeap.copy(from, to, length);
            } else {
                int gone = copyChecked(source, target, length);
                if (gone != 0) {
                    return gone == 1 ? WcStatus.LOC_PROT_ERR.code() : RECEIVE_FAULT;
                }
            }
            source.advance(length);
            target.advance(length);
        }
        return 0;
    }

    private static int copyChecked(Buffers source, Buffers target, long length) {
        long from = source.locate(length);
        MemorySegment sourceSegment = source.segment();
        long to = target.locate(length);
        return Buffers.copyChecked(sourceSegment, from, target.segment(), to, length);
    }

    /** Does an atomic at the peer and stores the prior value locally; returns a status code. */
    int atomic(Buffers local, long remoteAddress, int rkey, int rights, Operands operands) {
        noticeRevocations();
        long there = link.remote.translate(rkey, remoteAddress, Long.BYTES, rights);
        if (there == KeyCache.FAULT) {
            return WcStatus.REM_ACCESS_ERR.code();
        }
        long prior;
        if (there >= 0) {
            prior = operands.swap ? OffHeap.compareAndExchangeLong(there, operands.compareAdd, operands.swapValue)
                    : OffHeap.getAndAddLong(there, operands.compareAdd);
        } else {
            MemorySegment segment = link.remote.segment();
            long offset = link.remote.offset();
            try {
                prior = operands.swap
                        ? (long) LONG.compareAndExchange(segment, offset, operands.compareAdd, operands.swapValue)
                        : (long) LONG.getAndAdd(segment, offset, operands.compareAdd);
            } catch (IllegalStateException | InternalError closedOrTruncated) {
                return WcStatus.REM_ACCESS_ERR.code();
            }
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
        try {
            long offset = local.locate(Long.BYTES);
            local.segment().set(ValueLayout.JAVA_LONG_UNALIGNED, offset, value);
            return 0;
        } catch (IllegalStateException | InternalError closedOrTruncated) {
            return WcStatus.LOC_PROT_ERR.code();
        }
    }

    /** Operands of an atomic; reused. */
    static final class Operands {
        boolean swap;
        long compareAdd;
        long swapValue;
    }
}
