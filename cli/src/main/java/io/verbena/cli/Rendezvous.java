package io.verbena.cli;

import io.verbena.bench.BadOptionException;
import io.verbena.bench.Link;
import io.verbena.bench.Meeting;
import io.verbena.bench.OptionRange;
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
    private static final Set<String> NOT_FOR_THE_OTHER = Set.of("--self", "--json", "--port", "--launches");
    private static final String STARS = "*".repeat(36);

    /** Checks what can be checked before anything is started. */
    void check(Link link) {
        int number = portNumber();
        if (link == Link.LOOPBACK) {
            if (host != null) {
                Hosts.refuse(host);
            }
        } else if (host != null) {
            Hosts.requireThisHost(host);
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

    /** Meets the other process and does something with it. */
    <T> T with(Function<Meeting, T> work) {
        if (self) {
            try (SelfServer server = new SelfServer(words); Meeting meeting = server.meet()) {
                return work.apply(meeting);
            }
        }
        try (Meeting meeting = meet()) {
            return work.apply(meeting);
        }
    }

    private Meeting meet() {
        if (SelfServer.isThis()) {
            return SelfServer.client();
        }
        return host == null ? Meeting.serve(portNumber(), Version.text(), this::waiting)
                : Meeting.join(portNumber(), Version.text(), "./verbena " + String.join(" ", words)
                        + (port == null ? "" : " -p " + port));
    }

    private void waiting() {
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
