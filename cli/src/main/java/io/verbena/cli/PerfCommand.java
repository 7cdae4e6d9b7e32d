package io.verbena.cli;

import io.verbena.bench.BadOptionException;
import io.verbena.bench.Comparison;
import io.verbena.bench.PerfConfig;
import io.verbena.bench.PerfRunner;
import io.verbena.bench.PerfTest;
import java.util.concurrent.Callable;
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
            "", "Tests: send_lat send_bw write_lat write_bw read_lat read_bw atomic_lat atomic_bw",
            "  bare_lat   two threads pass cache lines back and forth without verbs: the floor of the path",
            "Own comparisons, both sides in turns in one run:",
            "  post_poll  signalled WRITE, post + poll, against copy + store + load (-s, -n a sample)",
            "  bulk_cost  READ and WRITE of 1 MiB against MemorySegment.copy (-s, -n a sample)",
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

    @Parameters(index = "1", arity = "0..1", paramLabel = "HOST", description = "The server; not yet.")
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
        if (host != null) {
            Hosts.refuse(host);
        }
        Comparison comparison = Comparison.of(test);
        try (Terminal.ProgressLine progress = terminal.progress("verbena perf")) {
            if (comparison != null) {
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
        PerfRunner runner = DeviceOptions.checked(() -> new PerfRunner(config, progress));
        if (json.json) {
            runner.run(result -> terminal.line(result.toJson().toString()));
            return;
        }
        PerfTable table = new PerfTable(terminal, config);
        table.begin();
        runner.run(result -> {
            progress.close();
            table.row(result);
        });
        table.end(runner.spinHint());
    }
}
