package io.verbena.nic.direct;

import io.verbena.nic.memory.Guard;
import io.verbena.nic.memory.Roster;
import io.verbena.nic.stat.DeviceCounter;
import io.verbena.verbs.Destination;
import io.verbena.verbs.Gid;
import java.lang.foreign.MemorySegment;

/** Delivers datagrams that come from other processes to the queue pairs of one NIC; one thread at a time. */
public final class Arrivals extends Roster.Member {
    private final Gid gid;
    private final Guard guard = new Guard();
    private final Transfer transfer = new Transfer(null);
    private final Buffers source = new Buffers();
    private DatagramDelivery delivery;

    /**
     * Delivers nothing yet.
     *
     * @param gid the address of the NIC
     */
    public Arrivals(Gid gid) {
        this.gid = gid;
    }

    /**
     * Delivers a datagram, or loses it.
     *
     * @param to the NIC or a multicast group
     * @param datagram what it says; nothing of it is believed
     * @param payload what it holds
     */
    public void deliver(Gid to, Datagram datagram, MemorySegment payload) {
        guard.enter();
        try {
            Fabric.LOCAL.generation().roster().enlist(this);
            datagram.length = payload.byteSize();
            datagram.multicast = to.isMulticast();
            source.overPlain(payload, payload.address(), payload.byteSize());
            if (datagram.multicast && datagram.qpNum == Destination.MULTICAST_QPN) {
                for (Endpoint member : Fabric.LOCAL.datagramReceivers().members(to)) {
                    // Whoever belongs to another NIC of this process gets it from there.
                    if (Fabric.LOCAL.find(gid, member.qpNum()) == member) {
                        deliver(member, datagram);
                    }
                }
            } else if (to.equals(gid)) {
                Endpoint receiver = Fabric.LOCAL.datagramReceivers().find(gid, datagram.qpNum);
                if (receiver != null) {
                    deliver(receiver, datagram);
                }
            }
        } finally {
            guard.exit();
        }
    }

    private void deliver(Endpoint receiver, Datagram datagram) {
        if (datagram.length > receiver.path().mtuBytes()) {
            DatagramDelivery.drop(receiver, DeviceCounter.UD_DROP_TOO_LONG);
            return;
        }
        if (delivery == null) {
            delivery = new DatagramDelivery(receiver, transfer);
        }
        delivery.begin();
        delivery.deliver(receiver, datagram, source);
    }

    @Override
    protected long activity() {
        return guard.sample();
    }

    @Override
    protected void awaitQuiescent() {
        guard.awaitQuiescent();
    }
}
