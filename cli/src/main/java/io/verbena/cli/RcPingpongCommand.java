package io.verbena.cli;

import io.verbena.bench.BadOptionException;
import io.verbena.bench.OptionRange;
import io.verbena.bench.PathConfig;
import io.verbena.bench.RcPingpong;
import io.verbena.verbs.Context;
import io.verbena.verbs.DeviceLimit;
import io.verbena.verbs.PortAttributes;
import io.verbena.verbs.QueuePairEndpoint;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Ping-pong over one RC connection, with the options of ibv_rc_pingpong(1). */
@Command(name = "rc", description = "Ping-pong over one RC connection (like ibv_rc_pingpong).")
final class RcPingpongCommand implements Callable<Integer> {
    private static final int RNR_TIMER = 12;

    private final Terminal terminal;

    @Mixin
    private HelpOption help;

    @Mixin
    private JsonOption json;

    @Parameters(arity = "0..1", paramLabel = "HOST", description = "The server; not yet, use --self.")
    private String host;

    @Option(names = "--self", description = "Run both ends in this process.")
    private boolean self;

    @Option(names = "--link", defaultValue = "loopback", paramLabel = "LINK",
            description = "Path between the ends (default ${DEFAULT-VALUE}).")
    private String link;

    @Option(names = {"-p", "--port"}, paramLabel = "PORT",
            description = "TCP port to exchange addresses (default 18515); not used with --self.")
    private String tcpPort;

    @Option(names = {"-d", "--ib-dev"}, defaultValue = DeviceOptions.DEFAULT, paramLabel = "DEV",
            description = "Device, as NAME or NAME?key=value&key=value (default ${DEFAULT-VALUE}).")
    private String device;

    @Option(names = {"-i", "--ib-port"}, paramLabel = "PORT", description = "Port of the device (default 1).")
    private String ibPort;

    @Option(names = {"-s", "--size"}, defaultValue = "4096", paramLabel = "BYTES",
            description = "Size of a message (default ${DEFAULT-VALUE}).")
    private String size;

    @Option(names = {"-m", "--mtu"}, defaultValue = "1024", paramLabel = "BYTES",
            description = "Path MTU (default ${DEFAULT-VALUE}).")
    private String mtu;

    @Option(names = {"-r", "--rx-depth"}, paramLabel = "N", description = "Receives to post at a time (default 500).")
    private String rxDepth;

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

    @Option(names = {"-N", "--new_send"}, description = "Extended post API; not yet.")
    private boolean newSend;

    RcPingpongCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        RcPingpong.Config config = config();
        checkSupported();
        checkDevice(config);
        RcPingpong.Result result;
        try (Terminal.ProgressLine progress = terminal.progress("verbena pingpong")) {
            result = RcPingpong.run(config, progress);
        }
        if (json.json) {
            terminal.line(result.toJson().toString());
        } else {
            print(result);
        }
        return 0;
    }

    private RcPingpong.Config config() {
        DeviceOptions.checkLink(link);
        DeviceOptions.number(new OptionRange("-p", 1, 65_535, "as TCP ports"), tcpPort, 0);
        int sl = DeviceOptions.number(new OptionRange("-l", 0, 7, "as RoCE has eight priorities"), serviceLevel, 0);
        PathConfig path = new PathConfig(DeviceOptions.mtu(mtu), PathConfig.DEFAULT.timeout(), RNR_TIMER,
                DeviceOptions.number(new OptionRange("-i", 1, 255, "as devinfo shows"), ibPort, 1),
                DeviceOptions.number(new OptionRange("-g", 0, 65_535, "as devinfo -v shows"), gidIndex, 0), sl << 5);
        return new RcPingpong.Config(device, OptionRange.SIZE.parse(size),
                DeviceOptions.number(OptionRange.RX_DEPTH, rxDepth, 500),
                DeviceOptions.number(OptionRange.ITERATIONS, iterations, 1_000), events, validate, path);
    }

    private void checkSupported() {
        if (timestamps) {
            throw new BadOptionException("-t: this device has no completion timestamps; leave -t out");
        }
        if (newSend) {
            throw new BadOptionException("-N: the extended post API is not there yet; leave -N out");
        }
        if (host != null) {
            Hosts.refuse(host);
        }
        if (!self) {
            throw new BadOptionException("on the loopback link both ends are in this process: give --self; "
                    + "two processes need --link shm or udp, which a later version brings");
        }
    }

    private void checkDevice(RcPingpong.Config config) {
        try (Context context = DeviceOptions.open(device)) {
            PortAttributes port = DeviceOptions.checked(() -> context.queryPort(config.path().port()));
            DeviceOptions.checked(() -> context.queryGid(config.path().port(), config.path().gidIndex()));
            if (config.path().mtu().bytes() > port.activeMtu().bytes()) {
                throw BadOptionException.value("-m", mtu, "up to " + port.activeMtu().bytes() + " bytes on this port");
            }
            long most = context.queryDevice().limit(DeviceLimit.MAX_QP_WR);
            if (config.rxDepth() > most) {
                throw BadOptionException.value("-r", config.rxDepth(), "1 to " + most + " receives on this device");
            }
        }
    }

    private void print(RcPingpong.Result result) {
        address("local", result.local());
        address("remote", result.remote());
        terminal.line(Units.number("%.0f bytes", result.bytes())
                + Units.number(" in %.6f seconds", result.seconds())
                + Units.number(" = %.2f Mbit/sec", result.megabitsPerSecond()));
        terminal.line(result.config().iterations()
                + Units.number(" iters in %.6f seconds", result.seconds())
                + Units.number(" = %.3f usec/iter", result.microsPerIteration()));
        if (validate) {
            terminal.line("data checked: both ends received what the other one sent");
        }
    }

    private void address(String which, QueuePairEndpoint end) {
        terminal.format("  %-15s LID 0x0000, QPN 0x%06x, PSN 0x%06x, GID %s", which + " address:", end.qpNum(),
                end.psn(), end.gid());
    }
}
