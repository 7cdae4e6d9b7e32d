package io.verbena.cli;

import io.verbena.bench.BadOptionException;
import io.verbena.bench.Link;
import io.verbena.bench.Meeting;
import io.verbena.bench.OptionRange;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * Brings the two processes of a test together as they were asked on the command line: without a host this one waits,
 * with one it asks, with --self it starts the other one.
 *
 * @param terminal where the server says that it waits
 * @param json whether it says so without disturbing results
 * @param host as given; null for a server
 * @param self whether --self was given
 * @param port as given; null for the usual one
 * @param words the command as another process would be started with
 */
record Rendezvous(Terminal terminal, boolean json, String host, boolean self, String port, List<String> words) {
    private static final OptionRange PORT = new OptionRange("-p", 1, 65_535, "as TCP ports");
    private static final Set<String> NOT_FOR_THE_OTHER = Set.of("--self", "--json", "--port", "--launches", "--bind",
            "--pcap");
    private static final String STARS = "*".repeat(36);

    /** Checks what can be checked before anything is started. */
    void check(Link link) {
        int number = portNumber();
        if (link == Link.LOOPBACK) {
            if (host != null) {
                Hosts.refuse(host);
            }
        } else if (host != null) {
            if (link == Link.SHM) {
                Hosts.requireThisHost(host);
            } else {
                Hosts.refuseUnlessHost(host);
            }
            if (self) {
                throw new BadOptionException("--self does not go with a host; it starts the server itself");
            }
        } else if (self && port != null) {
            throw new BadOptionException("-p " + number + " does not go with --self; the two find each other");
        }
    }

    private int portNumber() {
        return DeviceOptions.number(PORT, port, Meeting.PORT);
    }

    /** Whether both processes are of this program for sure, since one has started the other. */
    boolean isOwn() {
        return self || SelfServer.isThis();
    }

    /** Meets the other process, at this address of this host if it is the server, and does something with it. */
    <T> T with(Link link, InetAddress own, Function<Meeting, T> work) {
        if (self) {
            List<String> others = new ArrayList<>(words);
            others.addAll(UdpOptions.forTheOther(link));
            try (SelfServer server = new SelfServer(others); Meeting meeting = server.meet()) {
                return work.apply(meeting);
            }
        }
        try (Meeting meeting = meet(link, own)) {
            return work.apply(meeting);
        }
    }

    private Meeting meet(Link link, InetAddress own) {
        if (SelfServer.isThis()) {
            return SelfServer.client();
        }
        return host == null ? Meeting.serve(where(link, own), Version.text(), this::waiting)
                : Meeting.join(where(link, own), Version.text(), "./verbena " + String.join(" ", words)
                        + (link == Link.UDP ? " --bind " + host : "") + (port == null ? "" : " -p " + port));
    }

    /** Where the server waits: at an address of this host, or at the host that was named. */
    InetSocketAddress where(Link link, InetAddress own) {
        return host == null || link != Link.UDP ? new InetSocketAddress(own, portNumber())
                : new InetSocketAddress(host, portNumber());
    }

    /** Whether this process waits for the other one. */
    boolean serves() {
        return host == null;
    }

    /** Says that clients can come. */
    void waiting() {
        if (json) {
            terminal.err().println("waiting for a client on port " + portNumber());
        } else {
            terminal.line(STARS);
            terminal.line("* Waiting for client to connect... *");
            terminal.line(STARS);
            terminal.out().flush();
        }
    }

    /** A command and its options, as given, but for what is not for the other process. */
    static List<String> words(List<String> command, ParseResult given) {
        List<String> words = new ArrayList<>(command);
        for (OptionSpec option : given.matchedOptions()) {
            if (!NOT_FOR_THE_OTHER.contains(option.longestName())) {
                words.add(option.longestName());
                words.addAll(option.arity().max() == 0 ? List.of() : option.originalStringValues());
            }
        }
        return words;
    }
}
