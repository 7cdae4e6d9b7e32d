package io.verbena.nic.link;

import io.verbena.verbs.Errno;
import io.verbena.verbs.Gid;
import io.verbena.verbs.VerbsException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Comparator;

/** What the system says about the network interface that holds an address. */
final class Interfaces {
    /** The most that stands before and behind the payload of a packet: IPv6, UDP and RoCEv2 headers, CRC. */
    private static final int OVERHEAD_BYTES = 80;
    private static final int LARGEST_MTU = 4096;
    private static final int SMALLEST_MTU = 256;

    private Interfaces() {}

    /** The interface; null when no one is known to hold the address. */
    private static NetworkInterface holding(InetAddress address) throws SocketException {
        NetworkInterface found = NetworkInterface.getByInetAddress(address);
        if (found == null && address.isLoopbackAddress()) {
            // All of 127.0.0.0/8 is the loopback interface's, and it lists one address.
            return NetworkInterface.networkInterfaces()
                    .filter(Interfaces::isLoopback)
                    .min(Comparator.comparingInt(NetworkInterface::getIndex))
                    .orElse(null);
        }
        return found;
    }

    private static boolean isLoopback(NetworkInterface candidate) {
        try {
            return candidate.isLoopback();
        } catch (SocketException e) {
            return false;
        }
    }

    /**
     * The number that must go along with a link-local address.
     *
     * @return the interface's number, 0 for other addresses
     */
    static int scope(Gid gid) {
        InetAddress address = gid.toInetAddress();
        try {
            NetworkInterface found = address.isLinkLocalAddress() && !gid.isIpv4() ? holding(address) : null;
            return found == null ? 0 : found.getIndex();
        } catch (SocketException e) {
            return 0;
        }
    }

    /**
     * The largest path MTU that the interface carries.
     *
     * @param gid an address of this host
     * @return 256 to 4096
     * @throws VerbsException EOPNOTSUPP when the interface carries less; EADDRNOTAVAIL when there is none
     */
    static int mtuBytes(Gid gid) {
        InetAddress address = gid.toInetAddress();
        try {
            NetworkInterface found = holding(address);
            if (found == null) {
                throw BindErrors.notAvailable(gid);
            }
            return mtuBytes(found.getMTU(), found.getName());
        } catch (SocketException e) {
            throw new VerbsException(Errno.EIO, "bind",
                    "the interface that holds " + gid.toAddressText() + " does not tell its MTU: "
                            + e.getMessage());
        }
    }

    /** The largest path MTU that packets of an interface's MTU carry. */
    static int mtuBytes(int mtu, String name) {
        int largest = LARGEST_MTU;
        while (largest > mtu - OVERHEAD_BYTES) {
            largest >>= 1;
        }
        if (largest < SMALLEST_MTU) {
            throw VerbsException.unsupported("an MTU of " + mtu + " bytes (interface " + name + ")",
                    "set it to " + (SMALLEST_MTU + OVERHEAD_BYTES) + " or more (ip link set " + name + " mtu 1500)");
        }
        return largest;
    }
}
