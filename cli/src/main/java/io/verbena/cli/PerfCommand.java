package io.verbena.cli;

import io.verbena.bench.BadOptionException;
import io.verbena.bench.Comparison;
import io.verbena.bench.Link;
import io.verbena.bench.Meeting;
import io.verbena.bench.PathConfig;
import io.verbena.bench.PerfConfig;
import io.verbena.bench.PerfResult;
import io.verbena.bench.PerfRunner;
import io.verbena.bench.PerfServer;
import io.verbena.bench.PerfTest;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Measures latency and bandwidth, with the options of perftest. */
@Command(
        name = "perf",
        sortOptions = false,
        description = "Measure latency and bandwidth (like perftest's ib_send_lat, ib_write_bw, ...).",
        footer = {
            "", "Tests: send_lat send_bw write_lat write_bw read_lat read_bw atomic_lat atomic_bw, and",
            "  write_comp_lat read_comp_lat atomic_comp_lat   post to completion, timed in groups of 32",
            "  read_fresh_lat   the same of READs of what the other end has just written",
            "  bare_lat   the floor of the path, without verbs: two threads pass cache lines back and forth; with",
            "             --link udp datagrams as long as the packet of a SEND",
            "  aeron_lat, ring_bw   the same by Aeron's IPC, by Agrona's one-to-one ring buffer (--link shm)",
            "  tcp_lat, netty_lat   the same over TCP, by Java's channels and by Netty (--link udp)",
            "  bare_bw, mmsg_bw     UDP packets of -m bytes and no verbs: in runs that the system cuts and joins,",
            "             and by sendmmsg and recvmmsg (--link udp)",
            "  copy_bw    MemorySegment.copy",
            "  async_lat, async_read_lat   messages and READs by the asynchronous API, waited for by futures,",
            "             to be compared with send_lat and read_comp_lat (--link shm)",
            "Two processes of this host: with --link shm this is the server and waits; the same with localhost",
            "as HOST, in another terminal, is the client. With --self it starts the server process itself.",
            "Two hosts, or two addresses of one: with --link udp --bind ADDRESS this is the server; the same with",
            "the client's own address for --bind and the server's address as HOST is the client.",
            "Own comparisons, both sides in turns in one run:",
            "  post_poll  signalled WRITE, post + poll, against copy + store + load (-s, -n a sample)",
            "  bulk_cost  READ and WRITE of 1 MiB against MemorySegment.copy (-s, -n a sample)",
            "  async_read READ by the asynchronous API (callback, future and join(), with and without ownership",
            "             checks) against verbs' post + poll (-s, -n a sample, --threading)",
            "  async_threads   100 virtual threads that wait for READs against one thread (-n for each)",
            "  scale      one active pair alone against one among -q pairs of depth -t (default 10000 and 16;",
            "             -D a round), with the time to set them up and the memory of each; fits into -Xmx512m",
            "Latency is the round trip for send_lat, write_lat and bare_lat (perftest halves it), else the time",
            "from post to polled completion. Each run measures in a fresh JVM only what it is asked to."
        })
final class PerfCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private HelpOption help;

    @Parameters(index = "0", arity = "0..1", paramLabel = "TEST", description = "What to measure; see below.")
    private String test;

    @Parameters(index = "1", arity = "0..1", paramLabel = "HOST",
            description = "Where the server waits: localhost (shm), or its address (udp).")
    private String host;

    @Mixin
    private PerfOptions options;

    @Mixin
    private JsonOption json;

    @Spec
    private CommandSpec spec;

    PerfCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        if (test == null) {
            throw new BadOptionException("TEST is missing; allowed: " + PerfTest.labels() + ", " + Comparison.labels());
        }
        Link link = DeviceOptions.link(options.link);
        Comparison comparison = Comparison.of(test);
        try (Terminal.ProgressLine progress = terminal.progress("verbena perf")) {
            if (comparison != null) {
                if (link != Link.LOOPBACK || host != null) {
                    throw new BadOptionException(test + " has both ends in this process; leave --link and HOST out");
                }
                new ComparisonRun(terminal, json.json, spec.commandLine().getParseResult(), options)
                        .run(comparison, progress);
            } else {
                measure(config(), progress);
            }
        }
        return 0;
    }

    /** What was asked for, checked as far as it can be without a device. */
    PerfConfig config() {
        return options.toConfig(knownTest());
    }

    private PerfTest knownTest() {
        try {
            return PerfTest.of(test);
        } catch (BadOptionException e) {
            throw new BadOptionException(e.getMessage() + ", " + Comparison.labels());
        }
    }

    private void measure(PerfConfig config, Terminal.ProgressLine progress) {
        Link link = config.path().transport().link();
        Rendezvous rendezvous = new Rendezvous(terminal, json.json, host, options.self, options.tcpPort,
                Rendezvous.words(List.of("perf", test), spec.commandLine().getParseResult()));
        rendezvous.check(link);
        DeviceOptions.checked(() -> {
            PerfRunner.check(config);
            return null;
        });
        if (link == Link.LOOPBACK) {
            run(config, null, progress);
        } else {
            PathConfig path = config.path();
            rendezvous.with(link, UdpOptions.address(config.device(), link, path.port(), path.gidIndex()), meeting -> {
                run(config, meeting, progress);
                return null;
            });
        }
    }

    private void run(PerfConfig config, Meeting meeting, Terminal.ProgressLine progress) {
        if (meeting != null && meeting.isServer()) {
            PerfServer server = new PerfServer(config, meeting, progress);
            print(config, progress, server::serve);
        } else {
            PerfRunner runner = new PerfRunner(config, meeting, progress);
            print(config, progress, results -> {
                runner.run(results);
                return runner.spinHint();
            });
        }
    }

    /** What takes results and gives them on, and tells in the end whether bare_lat used the spin hint. */
    private interface Source {
        boolean run(Consumer<PerfResult> results);
    }

    private void print(PerfConfig config, Terminal.ProgressLine progress, Source source) {
        if (json.json) {
            source.run(result -> terminal.line(result.toJson().toString()));
            return;
        }
        PerfTable table = new PerfTable(terminal, config);
        table.begin();
        boolean spinHint = source.run(result -> {
            progress.close();
            table.row(result);
        });
        table.end(spinHint);
    }
}
