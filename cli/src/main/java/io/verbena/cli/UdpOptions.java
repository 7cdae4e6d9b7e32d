package io.verbena.cli;

import io.verbena.bench.BadOptionException;
import io.verbena.bench.Link;
import io.verbena.verbs.Context;
import java.net.InetAddress;
import java.util.List;
import java.util.regex.Pattern;
import picocli.CommandLine.Option;

/** The options of {@code --link udp}: which address this end has, and where its packets are written. */
final class UdpOptions {
    /** The address of the process that {@code --self} starts. */
    private static final String OTHER_SELF = "127.0.0.2";
    private static final String SELF = "127.0.0.1";
    private static final Pattern ADDRESS = Pattern.compile("[0-9a-fA-F.:]+");

    @Option(names = "--bind", paramLabel = "ADDRESS",
            description = "This host's address that packets come from, where the server waits (udp; default"
                    + " 127.0.0.1).")
    private String bind;

    @Option(names = "--pcap", paramLabel = "FILE",
            description = "Write this end's packets there, as Wireshark reads them (udp).")
    private String pcap;

    /** Refuses what does not go with a link. */
    void check(Link link, boolean self) {
        if (link != Link.UDP) {
            refuse("--bind", bind, link);
            refuse("--pcap", pcap, link);
        } else if (self && bind != null) {
            throw new BadOptionException("--bind does not go with --self, whose ends have " + SELF + " and "
                    + OTHER_SELF);
        }
        if (bind != null && (!ADDRESS.matcher(bind).matches() || !Hosts.isHost(bind))) {
            throw BadOptionException.value("--bind", '"' + bind + '"', "an IPv4 or IPv6 address of this host");
        }
        if (pcap != null && (pcap.isBlank() || pcap.indexOf('&') >= 0)) {
            throw BadOptionException.value("--pcap", '"' + pcap + '"', "the path of a file, without &");
        }
    }

    private static void refuse(String option, String value, Link link) {
        if (value != null) {
            throw new BadOptionException(option + " does not go with --link " + link.label()
                    + "; only udp has packets");
        }
    }

    /** Whether packets are written. */
    boolean captures() {
        return pcap != null;
    }

    /** The specification of a device with these options. */
    String device(String specification, Link link, boolean self) {
        String device = DeviceOptions.device(specification, link);
        return link != Link.UDP ? device : with(with(device, "bind", self ? SELF : bind), "pcap", pcap);
    }

    private static String with(String device, String key, String value) {
        return value == null ? device : device + (device.indexOf('?') < 0 ? "?" : "&") + key + '=' + value;
    }

    /** The other process of {@code --self} has the words of this one and these. */
    static List<String> forTheOther(Link link) {
        return link == Link.UDP ? List.of("--bind", OTHER_SELF) : List.of();
    }

    /** The address that a server is to wait at. */
    static InetAddress address(String device, Link link, int port, int gidIndex) {
        if (link != Link.UDP) {
            return InetAddress.getLoopbackAddress();
        }
        try (Context context = DeviceOptions.open(device)) {
            return DeviceOptions.checked(() -> context.queryGid(port, gidIndex)).gid().toInetAddress();
        }
    }
}
