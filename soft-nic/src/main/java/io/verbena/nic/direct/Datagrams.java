package io.verbena.nic.direct;

import io.verbena.nic.memory.Generation;
import io.verbena.nic.memory.KeyCache;
import io.verbena.nic.ring.Detail;
import io.verbena.nic.ring.SendWqe;
import io.verbena.nic.ring.SharedQueue;
import io.verbena.nic.stat.DeviceCounter;
import io.verbena.rc.memory.MemoryTable;
import io.verbena.verbs.Access;
import io.verbena.verbs.AsyncEvent.QueuePairEvent.Kind;
import io.verbena.verbs.Destination;
import io.verbena.verbs.RouteHeader;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.WcFlags;
import io.verbena.verbs.WcOpcode;
import io.verbena.verbs.WcStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Sends datagrams of one UD queue pair. Whatever keeps a receiver from taking one (no such queue pair, another queue
 * key, no receive, too little room) loses it without a word, as on a wire. Used by the holder of the send queue.
 */
final class Datagrams {
    private static final int OWN_KEY = Integer.MIN_VALUE;

    private final Endpoint self;
    private final Transfer transfer;
    private final Route[] routes;
    private final KeyCache keys;
    private final Buffers target = new Buffers();
    private final Buffers header = new Buffers();
    private final Generation generation = Fabric.LOCAL.generation();
    private long seen = -1;
    private final MemorySegment headerBytes = Arena.ofAuto().allocate(RouteHeader.BYTES, Long.BYTES);

    Datagrams(Endpoint self, Transfer transfer, int slots) {
        this.self = self;
        this.transfer = transfer;
        routes = new Route[slots];
        keys = new KeyCache(self.table(), self.regions(), MemoryTable.LOCAL, self.domain());
    }

    /** Notes where an entry goes; before the entry is published. */
    void address(long sequence, long wqe, Route route, int qpNum, int qkey) {
        SendWqe.remote(wqe, qpNum, qkey);
        routes[(int) sequence & routes.length - 1] = route;
    }

    /** Sends an entry to its receivers; returns a status code. */
    int send(long wqe, long sequence, Buffers source, long length, boolean withImm) {
        if (length > self.path().mtuBytes()) {
            return WcStatus.LOC_LEN_ERR.code();
        }
        Route route = routes[(int) sequence & routes.length - 1];
        if (route.isClosed()) {
            return WcStatus.LOC_QP_OP_ERR.code();
        }
        long now = generation.get();
        if (now != seen) {
            keys.clear();
            seen = now;
        }
        int wanted = SendWqe.rkey(wqe);
        int qkey = (wanted & OWN_KEY) != 0 ? self.path().qkey() : wanted;
        int qpNum = (int) SendWqe.remoteAddress(wqe);
        if (!route.to().isMulticast()) {
            Endpoint receiver = Fabric.LOCAL.datagramReceivers().find(route.to(), qpNum);
            return receiver == null ? drop(self, DeviceCounter.UD_DROP_UNKNOWN_QPN)
                    : deliver(receiver, route, wqe, qkey, source, length, withImm);
        }
        if (qpNum == Destination.MULTICAST_QPN) {
            for (Endpoint receiver : Fabric.LOCAL.datagramReceivers().members(route.to())) {
                int status = deliver(receiver, route, wqe, qkey, source, length, withImm);
                if (status != 0) {
                    return status;
                }
            }
            return 0;
        }
        return drop(self, DeviceCounter.UD_DROP_UNKNOWN_QPN);
    }

    /** Loses a datagram; the sender does not know. */
    private static int drop(Endpoint where, DeviceCounter why) {
        where.receiveLane().nicCounters().add(why, 1);
        return 0;
    }

    private int deliver(
            Endpoint receiver, Route route, long wqe, int qkey, Buffers source, long length, boolean withImm) {
        if (!receiver.beginDelivery()) {
            return drop(receiver, DeviceCounter.UD_DROP_UNKNOWN_QPN);
        }
        try {
            if (receiver.path().qkey() != qkey) {
                return drop(receiver, DeviceCounter.UD_DROP_BAD_QKEY);
            }
            SharedReceives receives = receiver.shared();
            int id = receives.queue().takeFitting(length + RouteHeader.BYTES);
            if (id < 0) {
                return drop(receiver, id == SharedQueue.TOO_SHORT
                        ? DeviceCounter.UD_DROP_TOO_LONG : DeviceCounter.UD_DROP_NO_RECEIVE);
            }
            int status = WcStatus.LOC_QP_OP_ERR.code();
            try {
                route.write(headerBytes, length + (withImm ? Integer.BYTES : 0));
                status = fill(receiver, receives, id, source);
            } finally {
                if (status != 0 && status != Transfer.RECEIVE_FAULT) {
                    receives.queue().giveBack(id);
                }
            }
            if (status != 0 && status != Transfer.RECEIVE_FAULT) {
                return status;
            }
            complete(receiver, id, status, wqe, length, withImm);
            if (status == 0 && route.to().isMulticast()) {
                receiver.receiveLane().nicCounters().add(DeviceCounter.MULTICAST_DELIVERIES, 1);
            }
            return 0;
        } finally {
            receiver.endDelivery();
        }
    }

    private int fill(Endpoint receiver, SharedReceives receives, int id, Buffers source) {
        SharedQueue queue = receives.queue();
        keys.bind(receiver.table(), receiver.regions(), receives.domain());
        target.overBuffers(keys, queue.firstBuffer(id), queue.bufferCount(id), Access.LOCAL_WRITE);
        header.overPlain(headerBytes, headerBytes.address(), RouteHeader.BYTES);
        source.restart();
        int status = transfer.datagram(header, target);
        return status != 0 ? status : transfer.datagram(source, target);
    }

    private void complete(Endpoint receiver, int id, int outcome, long wqe, long length, boolean withImm) {
        SharedReceives receives = receiver.shared();
        int status = outcome == 0 ? 0 : WcStatus.LOC_PROT_ERR.code();
        int flags = WcFlags.GRH | (withImm ? WcFlags.WITH_IMM : 0);
        long detail = Detail.of(length + RouteHeader.BYTES, WcOpcode.RECV.code(), status, flags);
        if (outcome != 0) {
            receiver.enterError(null);
        }
        boolean solicited = (SendWqe.flags(wqe) & SendFlags.SOLICITED) != 0;
        long numbers = (long) receiver.qpNum() << Integer.SIZE | self.qpNum();
        if (!receives.lane().produce(id, detail, SendWqe.imm(wqe), numbers, solicited || outcome != 0,
                receiver.receiveLane().counters())) {
            receives.queue().giveBack(id);
            receiver.enterError(Kind.QP_FATAL);
        }
    }
}
