package io.verbena.nic;

import io.verbena.nic.link.CountedLink;
import io.verbena.nic.link.Faults;
import io.verbena.nic.link.PacketLinks;
import io.verbena.nic.link.SocketKind;
import io.verbena.verbs.Gid;
import io.verbena.verbs.Mtu;
import io.verbena.verbs.VerbsException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.Set;

/**
 * Settings of {@code link=udp}.
 *
 * @param bind the address that packets come from and go to, which is the NIC's GID ({@code bind=ADDRESS});
 *     127.0.0.1 when nothing is said
 * @param mtuBytes the largest path MTU, if the interface carries it ({@code mtu=}256 to 4096)
 * @param socket which sockets ({@code socket=auto}, {@code native} or {@code portable})
 * @param faults what is done to packets that go out, for tests ({@code faults=loss:0.05,...})
 */
record WireConfig(InetAddress bind, int mtuBytes, SocketKind socket, Faults faults) {
    /** The names of the settings. */
    static final Set<String> SETTINGS = Set.of("bind", "mtu", "socket", "faults");

    static WireConfig of(Map<String, String> settings) {
        String faults = settings.get("faults");
        return new WireConfig(
                bindOf(settings.getOrDefault("bind", "127.0.0.1")),
                mtuOf(settings.getOrDefault("mtu", "4096")),
                SocketKind.parse(settings.getOrDefault("socket", "auto")),
                faults == null ? Faults.NONE : Faults.parse(faults));
    }

    private static InetAddress bindOf(String value) {
        String allowed = "an IPv4 or IPv6 address of this host, for example 127.0.0.1";
        if (!value.matches("[0-9]+([.][0-9]+){3}|[0-9a-fA-F]*:[0-9a-fA-F:.]+")) {
            throw VerbsException.invalid("bind", value, allowed); // a name would be looked up
        }
        try {
            return InetAddress.getByName(value);
        } catch (UnknownHostException e) {
            throw VerbsException.invalid("bind", value, allowed);
        }
    }

    private static int mtuOf(String value) {
        for (Mtu mtu : Mtu.values()) {
            if (value.equals(Integer.toString(mtu.bytes()))) {
                return mtu.bytes();
            }
        }
        throw VerbsException.invalid("mtu", value, "256, 512, 1024, 2048 or 4096");
    }

    CountedLink open() {
        return PacketLinks.open(Gid.of(bind), socket, faults);
    }

    /** The name of the network interface with the address; the address when none is known to have it. */
    String interfaceName() {
        try {
            NetworkInterface found = NetworkInterface.getByInetAddress(bind);
            return found == null ? bind.getHostAddress() : found.getName();
        } catch (SocketException e) {
            return bind.getHostAddress();
        }
    }
}
