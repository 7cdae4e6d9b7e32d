package io.verbena.nic.direct;

import io.verbena.nic.ring.SendWqe;
import io.verbena.nic.stat.DeviceCounter;
import io.verbena.verbs.Destination;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.WcStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Sends datagrams of one UD queue pair: to receivers of this process itself, to others by way of their NIC. Used by the
 * holder of the send queue.
 */
final class Datagrams {
    private static final int OWN_KEY = Integer.MIN_VALUE;
    private static final int MOST_BYTES = 4_096;
    private static final long LONGEST_WAIT_NS = 10_000_000;

    private final Endpoint self;
    private final Transfer transfer;
    private final Route[] routes;
    private final DatagramDelivery delivery;
    private final Datagram datagram = new Datagram();
    /** For the payload of a datagram to another process; made with the first one. */
    private MemorySegment payload;
    private Buffers payloadBuffer;
    private boolean waits;
    private long waitingSequence;
    private long waitsUntil;

    Datagrams(Endpoint self, Transfer transfer, int slots) {
        this.self = self;
        this.transfer = transfer;
        routes = new Route[slots];
        delivery = new DatagramDelivery(self, transfer);
        datagram.sourceQpNum = self.qpNum();
    }

    /** Notes where an entry goes; before the entry is published. */
    void address(long sequence, long wqe, Route route, int qpNum, int qkey) {
        SendWqe.remote(wqe, qpNum, qkey);
        routes[(int) sequence & routes.length - 1] = route;
    }

    /** Where an entry goes. */
    Route route(long sequence) {
        return routes[(int) sequence & routes.length - 1];
    }

    /** Sends an entry to its receivers; returns a status code. */
    int send(long wqe, long sequence, Buffers source, long length, boolean withImm) {
        if (length > self.path().mtuBytes()) {
            return WcStatus.LOC_LEN_ERR.code();
        }
        Route route = route(sequence);
        if (route.isClosed()) {
            return WcStatus.LOC_QP_OP_ERR.code();
        }
        waits &= sequence == waitingSequence;
        waitingSequence = sequence;
        delivery.begin();
        fill(wqe, route, length, withImm);
        return datagram.multicast ? sendToMembers(route, source) : sendToOne(route, source);
    }

    private void fill(long wqe, Route route, long length, boolean withImm) {
        int wanted = SendWqe.rkey(wqe);
        datagram.qkey = (wanted & OWN_KEY) != 0 ? self.path().qkey() : wanted;
        datagram.qpNum = (int) SendWqe.remoteAddress(wqe);
        datagram.imm = SendWqe.imm(wqe);
        datagram.withImm = withImm;
        datagram.solicited = (SendWqe.flags(wqe) & SendFlags.SOLICITED) != 0;
        datagram.multicast = route.to().isMulticast();
        datagram.length = length;
        route.write(datagram.header, length + (withImm ? Integer.BYTES : 0));
    }

    private int sendToOne(Route route, Buffers source) {
        Endpoint receiver = Fabric.LOCAL.datagramReceivers().find(route.to(), datagram.qpNum);
        if (receiver != null) {
            return delivery.deliver(receiver, datagram, source);
        }
        return self.abroad() == null || Fabric.LOCAL.isHere(route.to())
                ? DatagramDelivery.drop(self, DeviceCounter.UD_DROP_UNKNOWN_QPN) : sendAbroad(route, source);
    }

    private int sendToMembers(Route route, Buffers source) {
        if (datagram.qpNum != Destination.MULTICAST_QPN) {
            return DatagramDelivery.drop(self, DeviceCounter.UD_DROP_UNKNOWN_QPN);
        }
        for (Endpoint receiver : Fabric.LOCAL.datagramReceivers().members(route.to())) {
            int status = delivery.deliver(receiver, datagram, source);
            if (status != 0) {
                return status;
            }
        }
        return self.abroad() == null ? 0 : sendAbroad(route, source);
    }

    private int sendAbroad(Route route, Buffers source) {
        if (datagram.multicast && !self.abroad().hasOthers()) {
            return 0;
        }
        if (payload == null) {
            payload = Arena.ofAuto().allocate(MOST_BYTES, Long.BYTES);
            payloadBuffer = new Buffers();
        }
        payloadBuffer.overPlain(payload, payload.address(), datagram.length);
        source.restart();
        int status = transfer.datagram(source, payloadBuffer);
        if (status != 0) {
            return status;
        }
        return switch (self.abroad().send(route.to(), datagram, payload)) {
            case SENT -> sent();
            case UNKNOWN -> DatagramDelivery.drop(self, DeviceCounter.UD_DROP_UNKNOWN_QPN);
            case NO_ROOM -> waitOrDrop();
        };
    }

    private int sent() {
        waits = false;
        return 0;
    }

    /** A process that runs makes room soon; for one that does not, nobody waits long. */
    private int waitOrDrop() {
        long now = System.nanoTime();
        if (!waits) {
            waits = true;
            waitsUntil = now + LONGEST_WAIT_NS;
        } else if (now - waitsUntil >= 0) {
            waits = false;
            return DatagramDelivery.drop(self, DeviceCounter.UD_DROP_NO_RECEIVE);
        }
        return Outcome.PENDING;
    }
}
