package io.verbena.cli;

import io.verbena.bench.AddressExchange;
import io.verbena.bench.BadOptionException;
import io.verbena.bench.Link;
import io.verbena.bench.OptionRange;
import io.verbena.bench.PathConfig;
import io.verbena.bench.Pingpong;
import io.verbena.bench.Progress;
import io.verbena.bench.Transport;
import io.verbena.bench.WirePingpong;
import io.verbena.verbs.Context;
import io.verbena.verbs.DeviceLimit;
import io.verbena.verbs.PortAttributes;
import io.verbena.verbs.QueuePairEndpoint;
import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Ping-pong over one service, with the options of ibv_rc_pingpong(1) and its sisters. */
@Command(sortOptions = false)
final class PingpongServiceCommand implements Callable<Integer> {
    private static final int RNR_TIMER = 12;
    private static final int SRQ_QUEUE_PAIRS = 16;
    private static final int DATAGRAM = 2_048;
    private static final int MESSAGE = 4_096;
    private static final String MESSAGE_SIZE = "Size of a message (default 4096).";
    private static final String DATAGRAM_SIZE = "Size of a message (default 2048, or the port's MTU"
            + " where that is less; at most the port's MTU).";

    private final Terminal terminal;
    private final Service service;

    /** The programs, by the names of their services. */
    enum Service {
        /** ibv_rc_pingpong. */
        RC("one RC connection"),
        /** ibv_uc_pingpong. */
        UC("one UC connection"),
        /** ibv_ud_pingpong. */
        UD("two UD queue pairs"),
        /** ibv_srq_pingpong. */
        SRQ("RC connections that draw from a shared receive queue");

        private final String over;

        Service(String over) {
            this.over = over;
        }

        /** How users write it. */
        String label() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** One line of help. */
        String description() {
            return "Ping-pong over " + over + " (like ibv_" + label() + "_pingpong).";
        }

        private Transport transport() {
            return this == SRQ ? Transport.of("RC", true) : Transport.of(name(), false);
        }
    }

    @Mixin
    private HelpOption help;

    @Mixin
    private JsonOption json;

    @Parameters(arity = "0..1", paramLabel = "HOST", description = "Where the server waits: localhost (shm), or its"
            + " address (udp).")
    private String host;

    @Option(names = "--self",
            description = "Run both ends in this process, or start the process of the other end (shm,"
                    + " udp).")
    private boolean self;

    @Option(names = "--link", defaultValue = "loopback", paramLabel = "LINK",
            description = "Path between the ends: loopback, in one process, or shm or udp, between two"
                    + " (default ${DEFAULT-VALUE}). Over udp the other end may be the program of libibverbs.")
    private String link;

    @Option(names = {"-p", "--port"}, paramLabel = "PORT",
            description = "TCP port to exchange addresses (default 18515); not used on loopback.")
    private String tcpPort;

    @Mixin
    private UdpOptions udp;

    @Option(names = {"-d", "--ib-dev"}, defaultValue = DeviceOptions.DEFAULT, paramLabel = "DEV",
            description = "Device, as NAME or NAME?key=value&key=value (default ${DEFAULT-VALUE}).")
    private String device;

    @Option(names = {"-i", "--ib-port"}, paramLabel = "PORT", description = "Port of the device (default 1).")
    private String ibPort;

    @Option(names = {"-s", "--size"}, paramLabel = "BYTES",
            description = MESSAGE_SIZE)
    private String size;

    @Option(names = {"-m", "--mtu"}, paramLabel = "BYTES", description = "Path MTU (default 1024; not ud).")
    private String mtu;

    @Mixin
    private RetryOptions retries;

    @Option(names = {"-r", "--rx-depth"}, paramLabel = "N", description = "Receives to post at a time (default 500).")
    private String rxDepth;

    @Option(names = {"-q", "--num-qp"}, paramLabel = "N", description = "Queue pairs (default 16).")
    private String qps;

    @Option(names = {"-n", "--iters"}, paramLabel = "N", description = "Round trips (default 1000).")
    private String iterations;

    @Option(names = {"-l", "--sl"}, paramLabel = "SL",
            description = "Service level, 0 to 7 (default 0); becomes the IP class selector.")
    private String serviceLevel;

    @Option(names = {"-e", "--events"}, description = "Sleep on completion events instead of spinning.")
    private boolean events;

    @Option(names = {"-g", "--gid-idx"}, paramLabel = "INDEX", description = "GID index (default 0).")
    private String gidIndex;

    @Option(names = {"-c", "--chk"}, description = "Compare the data received with the data sent.")
    private boolean validate;

    @Option(names = {"-t", "--ts"}, description = "Completion timestamps; not supported by this device.")
    private boolean timestamps;

    @Option(names = {"-N", "--new_send"}, description = "Extended post API; there is only one here.")
    private boolean newSend;

    @Spec
    private CommandSpec spec;

    PingpongServiceCommand(Terminal terminal, Service service) {
        this.terminal = terminal;
        this.service = service;
    }

    /** The command, whose help shows what goes with its service. */
    static CommandLine of(Terminal terminal, Service service) {
        CommandLine command = new CommandLine(new PingpongServiceCommand(terminal, service));
        CommandSpec spec = command.getCommandSpec();
        spec.usageMessage().description(service.description());
        for (OptionSpec option : List.copyOf(spec.options())) {
            // All of them anew, since help lists them in the order in which they were added.
            spec.remove(option).addOption(adapted(option, service));
        }
        return command;
    }

    private static OptionSpec adapted(OptionSpec option, Service service) {
        return switch (option.shortestName()) {
            case "-q" -> OptionSpec.builder(option).hidden(service != Service.SRQ).build();
            case "-u", "--retry_count", "--rnr_retry" ->
                    OptionSpec.builder(option).hidden(service.transport().isLossy()).build();
            case "-s" -> service == Service.UD ? OptionSpec.builder(option).description(DATAGRAM_SIZE).build() : option;
            default -> option;
        };
    }

    @Override
    public Integer call() {
        Pingpong.Config asked = config();
        checkSupported();
        Pingpong.Config config = fitting(asked);
        Pingpong.Result result;
        try (Terminal.ProgressLine progress = terminal.progress("verbena pingpong " + service.label())) {
            result = run(config, progress);
        }
        if (json.json) {
            terminal.line(result.toJson().toString());
        } else {
            print(result);
        }
        return 0;
    }

    private Pingpong.Result run(Pingpong.Config config, Progress progress) {
        PathConfig path = config.path();
        Link way = path.transport().link();
        if (way == Link.LOOPBACK) {
            return Pingpong.run(config, progress);
        }
        Rendezvous rendezvous = rendezvous();
        InetAddress own = UdpOptions.address(config.device(), way, path.port(), path.gidIndex());
        if (way == Link.SHM) {
            return rendezvous.with(way, own, meeting -> Pingpong.run(config, meeting, progress));
        }
        if (rendezvous.isOwn()) {
            return rendezvous.with(way, own, meeting -> WirePingpong.run(config, meeting, progress));
        }
        int messages = service == Service.SRQ ? AddressExchange.MANY : 1;
        try (AddressExchange exchange = rendezvous.serves()
                ? AddressExchange.serve(rendezvous.where(way, own), messages, rendezvous::waiting)
                : AddressExchange.join(rendezvous.where(way, own), messages)) {
            return WirePingpong.run(config, exchange, progress);
        }
    }

    private Pingpong.Config config() {
        Link way = DeviceOptions.link(link);
        udp.check(way, self);
        if (mtu != null && service == Service.UD) {
            throw new BadOptionException("-m does not go with ud; " + DeviceOptions.NO_PATH_MTU);
        }
        int sl = DeviceOptions.number(new OptionRange("-l", 0, 7, "as RoCE has eight priorities"), serviceLevel, 0);
        if (service.transport().isLossy()) {
            retries.refuse(service.label());
        }
        PathConfig path = new PathConfig(DeviceOptions.mtu(mtu), retries.retries(RNR_TIMER),
                DeviceOptions.number(new OptionRange("-i", 1, 255, "as devinfo shows"), ibPort, 1),
                DeviceOptions.number(new OptionRange("-g", 0, 65_535, "as devinfo -v shows"), gidIndex, 0), sl << 5,
                service.transport().over(way));
        if (service != Service.SRQ && qps != null && !qps.equals("1")) {
            throw new BadOptionException("-q goes with srq only; " + service.label() + " has one queue pair");
        }
        long usual = service == Service.UD ? DATAGRAM : MESSAGE;
        return new Pingpong.Config(udp.device(device, way, self),
                size == null ? usual : OptionRange.MESSAGE.parse(size),
                DeviceOptions.number(OptionRange.RX_DEPTH, rxDepth, 500),
                DeviceOptions.number(OptionRange.ITERATIONS, iterations, 1_000),
                service == Service.SRQ ? DeviceOptions.number(OptionRange.QPS, qps, SRQ_QUEUE_PAIRS) : 1,
                new Pingpong.Waiting(events, validate), path);
    }

    private void checkSupported() {
        if (timestamps) {
            throw new BadOptionException("-t: this device has no completion timestamps; leave -t out");
        }
        if (newSend) {
            throw new BadOptionException("-N: there is one post API here, which does what libibverbs' extended one"
                    + " does; leave -N out");
        }
        rendezvous().check(DeviceOptions.link(link));
        if (!self && link.equals(Link.LOOPBACK.label())) {
            throw new BadOptionException("on the loopback link both ends are in this process: give --self; "
                    + "two processes need --link shm or --link udp");
        }
    }

    private Rendezvous rendezvous() {
        return new Rendezvous(terminal, json.json, host, self, tcpPort,
                Rendezvous.words(List.of("pingpong", service.label()), spec.commandLine().getParseResult()));
    }

    /** Checks what the device has; datagrams whose size was left open are as long as it carries. */
    private Pingpong.Config fitting(Pingpong.Config config) {
        try (Context context = DeviceOptions.open(config.device())) {
            PortAttributes port = DeviceOptions.checked(() -> context.queryPort(config.path().port()));
            DeviceOptions.checked(() -> context.queryGid(config.path().port(), config.path().gidIndex()));
            int active = port.activeMtu().bytes();
            boolean tooLong = service == Service.UD && config.size() > active;
            if (tooLong && size != null) {
                throw BadOptionException.value(
                        "-s", config.size(), "up to " + active + " bytes in a datagram on this port");
            }
            if (service != Service.UD && config.path().mtu().bytes() > active) {
                throw BadOptionException.value(
                        "-m", config.path().mtu().bytes(), "up to " + active + " bytes on this port");
            }
            long most = context.queryDevice().limit(
                    service == Service.SRQ ? DeviceLimit.MAX_SRQ_WR : DeviceLimit.MAX_QP_WR);
            if (config.rxDepth() > most) {
                throw BadOptionException.value("-r", config.rxDepth(), "1 to " + most + " receives on this device");
            }
            return tooLong ? config.withSize(active) : config;
        }
    }

    private void print(Pingpong.Result result) {
        result.local().forEach(end -> address("local", end));
        result.remote().forEach(end -> address("remote", end));
        terminal.line(Units.number("%.0f bytes", result.bytes())
                + Units.number(" in %.6f seconds", result.seconds())
                + Units.number(" = %.2f Mbit/sec", result.megabitsPerSecond()));
        terminal.line(result.config().iterations()
                + Units.number(" iters in %.6f seconds", result.seconds())
                + Units.number(" = %.3f usec/iter", result.microsPerIteration()));
        if (validate) {
            terminal.line(link.equals(Link.LOOPBACK.label())
                    ? "data checked: both ends received what the other one sent"
                    : "data checked: this end received what the other one sent");
        }
    }

    private void address(String which, QueuePairEndpoint end) {
        terminal.format("  %-15s LID 0x0000, QPN 0x%06x, PSN 0x%06x, GID %s", which + " address:", end.qpNum(),
                end.psn(), end.gid());
    }
}
