package io.verbena.nic;

import io.verbena.nic.link.ChannelLink;
import io.verbena.nic.link.PacketLink;
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
 * @param bind the address that packets come from and go to, which is the NIC's GID ({@code bind=ADDRESS}); the loopback
 *     address when nothing is said
 */
record WireConfig(InetAddress bind) {
    /** The names of the settings. */
    static final Set<String> SETTINGS = Set.of("bind");

    static WireConfig of(Map<String, String> settings) {
        return new WireConfig(bindOf(settings.getOrDefault("bind", "127.0.0.1")));
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

    PacketLink open() {
        return new ChannelLink(bind);
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
