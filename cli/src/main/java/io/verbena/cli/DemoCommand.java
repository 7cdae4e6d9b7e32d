package io.verbena.cli;

import io.verbena.bench.RunLength;
import io.verbena.verbs.Context;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows RDMA at work on this machine, step by step, and how long round trips take. */
@Command(name = "demo", description = "See RDMA at work on this machine, step by step, in a few seconds.")
final class DemoCommand implements Callable<Integer> {
    private static final double MOST_SECONDS = 60;

    private final Terminal terminal;

    @Mixin
    private HelpOption help;

    @Mixin
    private JsonOption json;

    @Option(names = {"-d", "--ib-dev"}, defaultValue = DeviceOptions.DEFAULT, paramLabel = "DEV",
            description = "Device, as NAME or NAME?key=value&key=value (default ${DEFAULT-VALUE}).")
    private String device;

    @Option(names = {"-D", "--seconds"}, defaultValue = "1", paramLabel = "SECONDS",
            description = "Time for each of the six measurements at the end (default ${DEFAULT-VALUE}).")
    private String seconds;

    DemoCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        double time = RunLength.parseSeconds("-D", seconds, MOST_SECONDS, false);
        DemoReport report = new DemoReport(terminal, json.json);
        try (Context context = DeviceOptions.open(device)) {
            report.begin(context.device().name(), context.device().provider());
        }
        try (DemoSteps steps = new DemoSteps(device, report)) {
            steps.run();
        }
        try (Terminal.ProgressLine progress = terminal.progress("verbena demo");
                DemoRoundTrips trips = new DemoRoundTrips(device, report, progress)) {
            trips.run(time);
        }
        report.end();
        return 0;
    }
}
