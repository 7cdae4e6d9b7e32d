package io.verbena.nic;

import io.verbena.nic.link.CapturedLink;
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
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
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
 * @param pcap a file that the packets are written to as well, as Wireshark reads it ({@code pcap=FILE}); null for none
 */
record WireConfig(InetAddress bind, int mtuBytes, SocketKind socket, Faults faults, Path pcap) {
    /** The names of the settings. */
    static final Set<String> SETTINGS = Set.of("bind", "mtu", "socket", "faults", "pcap");

    static WireConfig of(Map<String, String> settings) {
        String faults = settings.get("faults");
        return new WireConfig(
                bindOf(settings.getOrDefault("bind", "127.0.0.1")),
                mtuOf(settings.getOrDefault("mtu", "4096")),
                SocketKind.parse(settings.getOrDefault("socket", "auto")),
                faults == null ? Faults.NONE : Faults.parse(faults),
                pcapOf(settings.get("pcap")));
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

    private static Path pcapOf(String value) {
        try {
            return value == null ? null : Path.of(value);
        } catch (InvalidPathException e) {
            throw VerbsException.invalid("pcap", value, "the path of a file");
        }
    }

    CountedLink open() {
        CountedLink link = PacketLinks.open(Gid.of(bind), socket, faults);
        return pcap == null ? link : CapturedLink.to(link, pcap);
    }

    /** The name of the network interface with the address; the address when none is known to have it. */
    String interfaceName() {
        try {
            NetworkInterface found = NetworkInterface.getByInetAddress(bind);
            return found == null ? Gid.of(bind).toAddressText() : found.getName();
        } catch (SocketException e) {
            return Gid.of(bind).toAddressText();
        }
    }
}
