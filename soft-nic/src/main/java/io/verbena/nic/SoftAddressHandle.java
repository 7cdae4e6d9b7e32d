package io.verbena.nic;

import io.verbena.nic.direct.Route;
import io.verbena.nic.direct.RoutedHandle;
import io.verbena.nic.link.Marks;
import io.verbena.nic.link.PacketPath;
import io.verbena.nic.wire.NicLoop;
import io.verbena.verbs.AddressVector;
import io.verbena.verbs.Errno;
import io.verbena.verbs.Gid;
import io.verbena.verbs.VerbsException;

/** An address handle: the control side of a {@link Route}. */
final class SoftAddressHandle implements RoutedHandle {
    private static final int MOST_FLOW_LABEL = 0xF_FFFF;
    private static final int MOST_BYTE = 0xFF;

    private final SoftProtectionDomain domain;
    private final AddressVector vector;
    private final Route route;
    private boolean closed;

    SoftAddressHandle(SoftProtectionDomain domain, AddressVector vector) {
        this.domain = domain;
        this.vector = vector;
        route = new Route(
                domain.softContext().queryGid(vector.port(), vector.sgidIndex()).gid(), vector, domain, path());
    }

    /** The way for packets; null when none are sent. */
    private PacketPath path() {
        NicLoop wire = domain.softContext().nic().wire();
        return wire == null ? null : wire.pathTo(vector.dgid(), Marks.of(vector));
    }

    static void check(SoftContext context, AddressVector vector) {
        if (vector == null) {
            throw VerbsException.invalid("vector", null, "an AddressVector");
        }
        if (vector.dgid() == null || vector.dgid().high() == 0 && vector.dgid().low() == 0) {
            throw VerbsException.invalid("dgid", vector.dgid(), "the GID of a peer or of a multicast group");
        }
        ownGid(context, vector);
        refuseGroups(context.nic(), vector.dgid());
        requireWay(context.nic(), vector.dgid());
        range("hopLimit", vector.hopLimit(), MOST_BYTE);
        range("trafficClass", vector.trafficClass(), MOST_BYTE);
        range("flowLabel", vector.flowLabel(), MOST_FLOW_LABEL);
    }

    /** Refuses multicast where only packets reach anybody. */
    static void refuseGroups(SoftNic nic, Gid gid) {
        if (nic.wire() != null && gid.toInetAddress().isMulticastAddress()) {
            throw VerbsException.unsupported("multicast with link=udp", "send to each receiver's own address");
        }
    }

    /** Refuses an address that no packet of this device reaches. */
    static void requireWay(SoftNic nic, Gid gid) {
        if (nic.wire() != null) {
            nic.wire().requireReachable(gid);
        }
    }

    private static void ownGid(SoftContext context, AddressVector vector) {
        try {
            context.queryGid(vector.port(), vector.sgidIndex());
        } catch (VerbsException e) {
            if (e.errno() != Errno.ENODATA) {
                throw e;
            }
            throw VerbsException.invalid("sgidIndex", vector.sgidIndex(),
                    "a filled entry of port " + vector.port() + "'s GID table, see Context.queryGidTable");
        }
    }

    private static void range(String name, int value, int most) {
        if (value < 0 || value > most) {
            throw VerbsException.invalid(name, value, "0 to " + most);
        }
    }

    @Override
    public Route route() {
        return route;
    }

    @Override
    public AddressVector vector() {
        return vector;
    }

    @Override
    public String toString() {
        return (closed ? "closed " : "") + "address handle to " + vector.dgid();
    }

    @Override
    public void close() {
        domain.softContext().nic().fabric().controlLock().lock();
        try {
            if (!closed) {
                closed = true;
                route.close();
                domain.addressHandleClosed();
            }
        } finally {
            domain.softContext().nic().fabric().controlLock().unlock();
        }
    }
}
