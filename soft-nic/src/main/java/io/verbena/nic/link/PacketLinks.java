package io.verbena.nic.link;

import io.verbena.nic.os.UdpSocket;
import io.verbena.verbs.Errno;
import io.verbena.verbs.Gid;
import io.verbena.verbs.VerbsException;
import java.net.InetAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Opens links. */
public final class PacketLinks {
    /** How long the end of a process may take. */
    private static final long PATIENCE_NS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long REST_NS = TimeUnit.MILLISECONDS.toNanos(5);

    private PacketLinks() {}

    /**
     * Opens a link at port 4791 of an address, which no other process of the network namespace may have.
     *
     * @param gid an address of this host
     * @param kind which sockets
     * @param faults what the link does to its packets, {@link Faults#NONE} outside tests
     * @return the link, to be closed
     * @throws VerbsException EINVAL when the address can't be one of a host, EOPNOTSUPP when there are no such sockets
     *     here or the interface is too narrow, EADDRINUSE, EADDRNOTAVAIL or EACCES when the address can't be had
     */
    public static CountedLink open(Gid gid, SocketKind kind, Faults faults) {
        InetAddress address = gid.toInetAddress();
        if (address.isAnyLocalAddress() || address.isMulticastAddress()) {
            throw VerbsException.invalid("bind", gid.toAddressText(),
                    "one address of this host, since packets name it as where they come from");
        }
        if (kind == SocketKind.NATIVE && !UdpSocket.isSupported()) {
            throw VerbsException.unsupported("socket=native", "that needs Linux and --enable-native-access=ALL-UNNAMED"
                    + " (or the module io.verbena.nic); socket=portable works everywhere");
        }
        boolean portable = kind == SocketKind.PORTABLE || !UdpSocket.isSupported();
        SealedPackets link = bound(gid, portable);
        return faults.isNone() ? link : faulty(link, faults);
    }

    /** Waits a moment for whoever is just giving the address back: a process that was killed is not gone at once. */
    private static SealedPackets bound(Gid gid, boolean portable) {
        long start = System.nanoTime();
        while (true) {
            try {
                return portable ? PortableLink.open(gid) : UdpLink.open(gid);
            } catch (VerbsException e) {
                if (e.errno() != Errno.EADDRINUSE || System.nanoTime() - start > PATIENCE_NS
                        || !BindErrors.mayPass(gid)) {
                    throw e;
                }
                LockSupport.parkNanos(REST_NS);
            }
        }
    }

    private static CountedLink faulty(SealedPackets link, Faults faults) {
        try {
            return new FaultyLink(link, faults, System::nanoTime);
        } catch (RuntimeException | Error e) {
            link.close();
            throw e;
        }
    }

    /**
     * Refuses addresses that a socket of one's own address can't reach.
     *
     * @param own the address of the socket
     * @param peer where packets are to go
     * @throws VerbsException EINVAL when one of them is IPv4 and the other one IPv6
     */
    public static void requireSameFamily(Gid own, Gid peer) {
        if (own.isIpv4() != peer.isIpv4()) {
            throw VerbsException.invalid("the peer's GID", peer, "one of an " + (own.isIpv4()
                    ? "IPv4 address (::ffff:a.b.c.d)" : "IPv6 address") + ", since this device has "
                    + own.toAddressText() + "; open this device with bind= an address of the peer's family, or the"
                    + " peer's with one of this one's");
        }
    }
}
