package io.verbena.nic.shm;

import io.verbena.nic.direct.Arrivals;
import io.verbena.nic.direct.Datagram;
import io.verbena.nic.direct.Fabric;
import io.verbena.nic.direct.Neighbours;
import io.verbena.nic.os.UnixSocket;
import io.verbena.verbs.Gid;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Datagrams between one NIC and those of other processes, single ones and those for multicast groups. */
public final class DatagramExchange implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("io.verbena.nic");

    private final Gid gid;
    private final int uid;
    private final int patienceMs;
    private final Errands errands;
    private final Couriers couriers;
    private final Set<Gid> sought = ConcurrentHashMap.newKeySet();
    private final Arrivals arrivals;
    private volatile boolean closed;
    private final Datagram arrived = new Datagram();
    private final MemorySegment payload = Arena.ofAuto().allocate(UnixSocket.MAX_MESSAGE_BYTES, Long.BYTES);

    /**
     * Knows nobody.
     *
     * @param gid the address of the NIC
     * @param uid the user of this process
     * @param patienceMs how long other processes may take to answer
     * @param errands runs what may take a while
     * @param changed run when there is another way to watch
     */
    DatagramExchange(Gid gid, int uid, int patienceMs, Errands errands, Runnable changed) {
        this.gid = gid;
        this.uid = uid;
        this.patienceMs = patienceMs;
        this.errands = errands;
        couriers = new Couriers(gid, uid, changed);
        arrivals = new Arrivals(gid);
    }

    /** Delivers what has come; by the service's thread. */
    void arrived(Message.Datagram datagram) {
        arrived.qpNum = datagram.ends().qpNum();
        arrived.qkey = datagram.ends().qkey();
        arrived.sourceQpNum = datagram.ends().sourceQpNum();
        arrived.imm = datagram.imm();
        arrived.withImm = (datagram.flags() & Message.Datagram.WITH_IMM) != 0;
        arrived.solicited = (datagram.flags() & Message.Datagram.SOLICITED) != 0;
        arrived.header.copyFrom(MemorySegment.ofArray(datagram.header()));
        MemorySegment bytes = payload.asSlice(0, datagram.payload().length);
        bytes.copyFrom(MemorySegment.ofArray(datagram.payload()));
        arrivals.deliver(datagram.to(), arrived, bytes);
    }

    /** Makes sure that datagrams find the way to a NIC. */
    void ensure(Gid nic) {
        couriers.ensure(nic);
    }

    /**
     * Finds the way for datagrams, before the first one is sent.
     *
     * @param to a NIC or a multicast group
     */
    public void prepare(Gid to) {
        if (to.isMulticast()) {
            couriers.present().forEach(couriers::ensure);
        } else if (!Fabric.LOCAL.isHere(to)) {
            couriers.ensure(to);
        }
    }

    /** Lets NICs of other processes know that datagrams for groups are wanted here; asks each, with no lock held. */
    public void join() {
        for (Gid nic : couriers.present()) {
            if (!Fabric.LOCAL.isHere(nic)) {
                try (Attachment attachment = Attachment.open(nic, gid, uid, this::patienceMs, gone -> { })) {
                    attachment.joined();
                } catch (IOException e) {
                    LOG.log(System.Logger.Level.DEBUG, "a NIC sends no datagrams for groups to this one", e);
                }
            }
        }
    }

    private long patienceMs() {
        return closed ? Math.min(Attachment.HURRIED_MS, patienceMs) : patienceMs;
    }

    /** The ways that lead to others; see {@link Exports#couriers}. */
    List<UnixSocket> couriers() {
        return couriers.sockets();
    }

    /** One of them leads to nobody any more. */
    void courierEnded(UnixSocket socket) {
        couriers.drop(socket);
    }

    /** Sends a datagram, see {@link Neighbours#send}. */
    Neighbours.Fate send(Gid to, Datagram datagram, MemorySegment bytes) {
        if (to.isMulticast()) {
            couriers.sendToAll(to, datagram, bytes);
            return Neighbours.Fate.SENT;
        }
        Neighbours.Fate fate = couriers.send(to, to, datagram, bytes);
        if (fate == Neighbours.Fate.UNKNOWN && sought.add(to)) {
            errands.add(to, () -> {
                try {
                    couriers.ensure(to);
                } finally {
                    sought.remove(to);
                }
            });
        }
        return fate;
    }

    /** Whether datagrams for groups go to any NIC of another process. */
    boolean hasOthers() {
        return couriers.hasSome();
    }

    @Override
    public void close() {
        closed = true;
        couriers.close();
    }
}
