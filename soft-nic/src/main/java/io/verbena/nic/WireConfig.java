package io.verbena.nic;

import io.verbena.nic.link.CapturedLink;
import io.verbena.nic.link.ChannelLink;
import io.verbena.nic.link.PacketLink;
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
 * @param bind the address that packets come from and go to, which is the NIC's GID ({@code bind=ADDRESS}); the loopback
 *     address when nothing is said
 * @param pcap a file that the packets are written to as well, as Wireshark reads it ({@code pcap=FILE}); null for none
 */
record WireConfig(InetAddress bind, Path pcap) {
    /** The names of the settings. */
    static final Set<String> SETTINGS = Set.of("bind", "pcap");

    static WireConfig of(Map<String, String> settings) {
        return new WireConfig(bindOf(settings.getOrDefault("bind", "127.0.0.1")), pcapOf(settings.get("pcap")));
    }

    private static InetAddress bindOf(String value) {
        String allowed = "an IPv4 or IPv6 address of this host, for example 127.0.0.1";
        if (!value.matches("[0-9a-fA-F.:]+")) {
            throw VerbsException.invalid("bind", value, allowed);
        }
        try {
            return InetAddress.getByName(value);
        } catch (UnknownHostException e) {
            throw VerbsException.invalid("bind", value, allowed);
        }
    }

    private static Path pcapOf(String value) {
        try {
            return value == null ? null : Path.of(value);
        } catch (InvalidPathException e) {
            throw VerbsException.invalid("pcap", value, "the path of a file");
        }
    }

    PacketLink open() {
        PacketLink link = new ChannelLink(bind);
        return pcap == null ? link : CapturedLink.to(link, pcap);
    }

    /** The name of the network interface with the address; empty when there is none. */
    String interfaceName() {
        try {
            NetworkInterface found = NetworkInterface.getByInetAddress(bind);
            return found == null ? "" : found.getName();
        } catch (SocketException e) {
            return "";
        }
    }
}
