package io.verbena.nic.direct;

import io.verbena.nic.memory.Generation;
import io.verbena.nic.memory.KeyCache;
import io.verbena.nic.ring.Detail;
import io.verbena.nic.ring.SharedQueue;
import io.verbena.nic.stat.DeviceCounter;
import io.verbena.rc.memory.MemoryTable;
import io.verbena.verbs.Access;
import io.verbena.verbs.AsyncEvent.QueuePairEvent.Kind;
import io.verbena.verbs.RouteHeader;
import io.verbena.verbs.WcFlags;
import io.verbena.verbs.WcOpcode;
import io.verbena.verbs.WcStatus;

/**
 * Puts datagrams into receives. Whatever keeps a receiver from taking one (another queue key, no receive, too little
 * room) loses it without a word, as on a wire. Used inside a guard of the one who delivers.
 */
final class DatagramDelivery {
    private static final long QPN_MASK = 0xFF_FFFF;

    private final Transfer transfer;
    private final KeyCache keys;
    private final Buffers target = new Buffers();
    private final Buffers header = new Buffers();
    private final Generation generation = Fabric.LOCAL.generation();
    private long seen = -1;

    DatagramDelivery(Endpoint any, Transfer transfer) {
        this.transfer = transfer;
        keys = new KeyCache(any.table(), any.regions(), MemoryTable.LOCAL, any.domain());
    }

    /** Forgets what may have changed; before the first receiver of a datagram. */
    void begin() {
        long now = generation.get();
        if (now != seen) {
            keys.clear();
            seen = now;
        }
    }

    /** Loses a datagram; the sender does not know. */
    static int drop(Endpoint where, DeviceCounter why) {
        where.receiveLane().nicCounters().add(why, 1);
        return 0;
    }

    /** Delivers to one receiver; returns a status code of the sender. */
    int deliver(Endpoint receiver, Datagram datagram, Buffers source) {
        if (!receiver.beginDelivery()) {
            return drop(receiver, DeviceCounter.UD_DROP_UNKNOWN_QPN);
        }
        try {
            if (receiver.path().qkey() != datagram.qkey) {
                return drop(receiver, DeviceCounter.UD_DROP_BAD_QKEY);
            }
            SharedReceives receives = receiver.shared();
            int id = receives.queue().takeFitting(datagram.length + RouteHeader.BYTES);
            if (id < 0) {
                return drop(receiver, id == SharedQueue.TOO_SHORT
                        ? DeviceCounter.UD_DROP_TOO_LONG : DeviceCounter.UD_DROP_NO_RECEIVE);
            }
            int status = WcStatus.LOC_QP_OP_ERR.code();
            try {
                status = fill(receiver, receives, id, datagram, source);
            } finally {
                if (status != 0 && status != Outcome.RECEIVE_FAULT) {
                    receives.queue().giveBack(id);
                }
            }
            if (status != 0 && status != Outcome.RECEIVE_FAULT) {
                return status;
            }
            complete(receiver, id, status, datagram);
            if (status == 0 && datagram.multicast) {
                receiver.receiveLane().nicCounters().add(DeviceCounter.MULTICAST_DELIVERIES, 1);
            }
            return 0;
        } finally {
            receiver.endDelivery();
        }
    }

    private int fill(Endpoint receiver, SharedReceives receives, int id, Datagram datagram, Buffers source) {
        SharedQueue queue = receives.queue();
        keys.bind(receiver.table(), receiver.regions(), receives.domain());
        target.overBuffers(keys, queue.firstBuffer(id), queue.bufferCount(id), Access.LOCAL_WRITE);
        header.overPlain(datagram.header, datagram.header.address(), RouteHeader.BYTES);
        source.restart();
        int status = transfer.datagram(header, target);
        return status != 0 ? status : transfer.datagram(source, target);
    }

    private static void complete(Endpoint receiver, int id, int outcome, Datagram datagram) {
        SharedReceives receives = receiver.shared();
        int status = outcome == 0 ? 0 : WcStatus.LOC_PROT_ERR.code();
        int flags = WcFlags.GRH | (datagram.withImm ? WcFlags.WITH_IMM : 0);
        long detail = Detail.of(datagram.length + RouteHeader.BYTES, WcOpcode.RECV.code(), status, flags);
        if (outcome != 0) {
            receiver.enterError(null);
        }
        long numbers = (long) receiver.qpNum() << Integer.SIZE | datagram.sourceQpNum & QPN_MASK;
        if (!receives.lane().produce(id, detail, datagram.imm, numbers, datagram.solicited || outcome != 0,
                receiver.receiveLane().counters())) {
            receives.queue().giveBack(id);
            receiver.enterError(Kind.QP_FATAL);
        }
    }
}
