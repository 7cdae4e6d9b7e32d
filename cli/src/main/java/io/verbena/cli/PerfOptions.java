package io.verbena.cli;

import io.verbena.bench.AtomicType;
import io.verbena.bench.BadOptionException;
import io.verbena.bench.Link;
import io.verbena.bench.OptionRange;
import io.verbena.bench.PathConfig;
import io.verbena.bench.PerfConfig;
import io.verbena.bench.PerfTest;
import io.verbena.bench.QueueShape;
import io.verbena.bench.RunLength;
import io.verbena.bench.Transport;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.Threading;
import java.util.Arrays;
import java.util.stream.Collectors;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The options of the perf tests, named as in perftest, as typed. {@link #toConfig} makes the checked configuration;
 * an option that would have no effect on a test is refused.
 */
final class PerfOptions {
    /** The longest message of a datagram test when no size is given. */
    private static final long DATAGRAM = 2_048;
    private static final OptionRange PORT = new OptionRange("-i", 1, 255, "as devinfo shows");
    private static final OptionRange GID_INDEX = new OptionRange("-x", 0, 65_535, "as devinfo -v shows");

    @Option(names = {"-d", "--ib-dev"}, defaultValue = DeviceOptions.DEFAULT, paramLabel = "DEV",
            description = "Device, as NAME or NAME?key=value&key=value (default ${DEFAULT-VALUE}).")
    String device;

    @Option(names = "--link", defaultValue = "loopback", paramLabel = "LINK",
            description = "Path between the ends: loopback, in one process, or shm or udp, between two"
                    + " (default ${DEFAULT-VALUE}).")
    String link;

    @Option(names = "--self", description = "Start the server process too (on loopback there is none).")
    boolean self;

    @Option(names = {"-p", "--port"}, paramLabel = "PORT",
            description = "TCP port of the server where the two processes meet (default 18515; shm, udp).")
    String tcpPort;

    @Mixin
    UdpOptions udp;

    @Option(names = {"-c", "--connection"}, defaultValue = "RC", paramLabel = "TYPE",
            description = "Transport service: RC, UC (send, write) or UD (send) (default ${DEFAULT-VALUE}).")
    private String connection;

    @Option(names = "--use-srq", description = "Draw receives from a shared receive queue (send tests; RC, UD).")
    private boolean useSrq;

    @Option(names = {"-s", "--size"}, paramLabel = "BYTES",
            description = "Message size (default 64 for latency and ring_bw, 65536 for bandwidth, 2048 for UD"
                    + " bandwidth).")
    String size;

    @Option(names = {"-a", "--all"}, description = "All sizes from 2 to 2^23.")
    private boolean all;

    @Option(names = {"-n", "--iters"}, paramLabel = "N", description = "Measured iterations of each size.")
    String iterations;

    @Option(names = {"-D", "--duration"}, paramLabel = "SECONDS",
            description = "Measured time of each size (default 1).")
    String duration;

    @Option(names = "--warmup", paramLabel = "SECONDS",
            description = "Least time before measuring (default 1), and at least 20000 iterations.")
    private String warmUp;

    @Option(names = {"-q", "--qp"}, paramLabel = "N", description = "Queue pairs (default 1; bandwidth tests).")
    String qps;

    @Option(names = {"-t", "--tx-depth"}, paramLabel = "N",
            description = "Send queue depth (default 128 for bandwidth, 1 for latency).")
    String txDepth;

    @Option(names = {"-r", "--rx-depth"}, paramLabel = "N",
            description = "Receives posted (default 512 for bandwidth, 64 for latency; send tests).")
    private String rxDepth;

    @Option(names = {"-l", "--post_list"}, paramLabel = "N",
            description = "Work requests for each doorbell (default 1; bandwidth tests).")
    private String postList;

    @Option(names = {"-Q", "--cq-mod"}, paramLabel = "N",
            description = "One completion for so many work requests (default 100, at most the depth; bandwidth tests).")
    private String cqMod;

    @Option(names = {"-I", "--inline_size"}, paramLabel = "BYTES",
            description = "Post messages up to this size inline (default 0; send and write tests).")
    private String inlineSize;

    @Option(names = {"-e", "--events"}, description = "Sleep on completion events instead of spinning.")
    private boolean events;

    @Option(names = {"-m", "--mtu"}, paramLabel = "BYTES", description = "Path MTU (default 1024; RC, UC).")
    private String mtu;

    @Mixin
    private RetryOptions retries;

    @Option(names = {"-A", "--atomic_type"}, paramLabel = "TYPE",
            description = "CMP_AND_SWAP or FETCH_AND_ADD (default FETCH_AND_ADD; atomic tests).")
    private String atomicType;

    @Option(names = {"-i", "--ib-port"}, paramLabel = "PORT", description = "Port of the device (default 1).")
    private String port;

    @Option(names = {"-x", "--gid-index"}, paramLabel = "INDEX", description = "GID index (default 0).")
    private String gidIndex;

    @Option(names = "--threading", defaultValue = "single", paramLabel = "MODE",
            description = "single or safe queue pairs and completion queues (default ${DEFAULT-VALUE}).")
    private String threading;

    /** Checks everything that can be checked without a device. */
    PerfConfig toConfig(PerfTest test) {
        Link way = DeviceOptions.link(link);
        refuseUseless(test);
        if (way == Link.LOOPBACK && tcpPort != null) {
            throw new BadOptionException("-p does not go with --link loopback; both ends are in this process");
        }
        udp.check(way, self);
        if (udp.captures() && all) {
            throw new BadOptionException("--pcap does not go with -a; the file holds the packets of one size, given by"
                    + " -s");
        }
        if (udp.captures() && !test.usesVerbs()) {
            throw new BadOptionException("--pcap does not go with " + test.label() + ", which uses no verbs");
        }
        Transport transport = Transport.of(connection, useSrq).over(way);
        refuseUseless(transport);
        PathConfig path = new PathConfig(DeviceOptions.mtu(mtu),
                retries.retries(PathConfig.DEFAULT.retries().minRnrTimer()), DeviceOptions.number(PORT, port, 1),
                DeviceOptions.number(GID_INDEX, gidIndex, 0), 0, transport);
        PerfConfig.Style style = new PerfConfig.Style(threading(), events, atomic());
        return new PerfConfig(test, udp.device(device, way, self), size(test), length(), queues(test), path, style);
    }

    private void refuseUseless(PerfTest test) {
        if (!test.isBandwidth()) {
            refuse(qps, "-q", test, "only bandwidth tests have several queue pairs", "1");
            refuse(postList, "-l", test, "only bandwidth tests post lists", "1");
            refuse(cqMod, "-Q", test, "only bandwidth tests leave completions out", "1");
        }
        if (!test.isSend()) {
            refuse(rxDepth, "-r", test, "only send tests post receives", null);
        }
        if (!test.isAtomic()) {
            refuse(atomicType, "-A", test, "only atomic tests do atomics", null);
        }
        if (!test.usesVerbs()) {
            refuse(txDepth, "-t", test, "it has no queues", "1");
            refuse(qps, "-q", test, "it has no queue pairs", "1");
            refuse(postList, "-l", test, "it posts nothing", "1");
            refuse(cqMod, "-Q", test, "it has no completions", "1");
        }
        if (size != null && all) {
            throw new BadOptionException("-a and -s contradict each other; give one of them");
        }
        if (iterations != null && duration != null) {
            throw new BadOptionException("-n and -D contradict each other; give one of them");
        }
    }

    private void refuseUseless(Transport transport) {
        if (mtu != null && transport.type() == QueuePairType.UD) {
            throw new BadOptionException("-m does not go with -c UD; " + DeviceOptions.NO_PATH_MTU);
        }
        if (transport.isLossy()) {
            retries.refuse("-c " + transport.type());
        }
    }

    private static void refuse(String given, String option, PerfTest test, String why, String harmless) {
        if (given != null && !given.equals(harmless)) {
            throw new BadOptionException(option + " does not go with " + test.label() + "; " + why);
        }
    }

    private long size(PerfTest test) {
        if (all) {
            return PerfConfig.ALL_SIZES;
        }
        if (size != null) {
            return OptionRange.SIZE.parse(size);
        }
        long usual = PerfConfig.defaultSize(test);
        return connection.equalsIgnoreCase("UD") ? Math.min(usual, DATAGRAM) : usual;
    }

    private RunLength length() {
        RunLength length = iterations != null
                ? RunLength.ofIterations(OptionRange.ITERATIONS.parse(iterations))
                : RunLength.ofSeconds(duration == null ? 1
                        : RunLength.parseSeconds("-D", duration, RunLength.MOST_SECONDS, false));
        return warmUp == null ? length : length.withWarmUp(
                RunLength.parseSeconds("--warmup", warmUp, RunLength.MOST_WARM_UP_SECONDS, true));
    }

    private QueueShape queues(PerfTest test) {
        QueueShape usual = QueueShape.defaults(test);
        int depth = DeviceOptions.number(OptionRange.TX_DEPTH, txDepth, usual.txDepth());
        return new QueueShape(DeviceOptions.number(OptionRange.QPS, qps, usual.qps()), depth,
                DeviceOptions.number(OptionRange.RX_DEPTH, rxDepth, usual.rxDepth()),
                DeviceOptions.number(OptionRange.POST_LIST, postList, usual.postList()),
                DeviceOptions.number(OptionRange.CQ_MOD, cqMod, Math.min(usual.cqMod(), depth)),
                DeviceOptions.number(OptionRange.INLINE, inlineSize, usual.inlineSize()));
    }

    /** As given, checked. */
    Threading threading() {
        return switch (threading) {
            case "single" -> Threading.SINGLE;
            case "safe" -> Threading.SAFE;
            default -> throw BadOptionException.value("--threading", '"' + threading + '"', "single, safe");
        };
    }

    private AtomicType atomic() {
        if (atomicType == null) {
            return AtomicType.FETCH_AND_ADD;
        }
        for (AtomicType type : AtomicType.values()) {
            if (type.name().equals(atomicType)) {
                return type;
            }
        }
        throw BadOptionException.value("-A", '"' + atomicType + '"',
                Arrays.stream(AtomicType.values()).map(Enum::name).collect(Collectors.joining(", ")));
    }
}
