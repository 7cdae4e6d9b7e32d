package io.verbena.cli;

import io.verbena.bench.BadOptionException;
import io.verbena.bench.Json;
import io.verbena.bench.Link;
import io.verbena.bench.OptionRange;
import io.verbena.bench.PerfConfig;
import io.verbena.bench.PerfRunner;
import io.verbena.bench.PerfTest;
import io.verbena.bench.Samples;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Compares two perf tests over many fresh JVMs, which run in turns: A B A B ... */
@Command(
        name = "compare",
        sortOptions = false,
        description = "Compare two perf tests over fresh JVMs that run in turns: A B A B ...",
        footer = {
            "", "A test may bring options of its own: verbena compare \"send_lat -I 64\" bare_lat -n 100000",
            "With --link shm each launch is a pair of processes. Without tests that compares everything over",
            "shared memory with its floor, with Aeron's IPC, UCX (if installed), Agrona's ring buffer and a",
            "plain copy. With --link udp it compares packets with bare UDP sockets and with TCP.",
            "verbena compare async compares the asynchronous API with verbs, on loopback and over shared memory."})
final class CompareCommand implements Callable<Integer> {
    private static final String[] FIELDS = {"p50", "p99", "p999"};

    private static final List<String> GOAL_OPTIONS =
            List.of("--link", "--launches", "--duration", "--iters", "--warmup", "--json");

    private static final List<String> ASYNC_OPTIONS = List.of("--launches", "--duration", "--warmup", "--json");
    private static final String ASYNC = "async";

    private final Terminal terminal;

    @Mixin
    private HelpOption help;

    @Parameters(index = "0", arity = "0..1", paramLabel = "A", description = "A perf test.")
    private String first;

    @Parameters(index = "1", arity = "0..1", paramLabel = "B", description = "The test to compare it with.")
    private String second;

    @Option(names = "--launches", defaultValue = "10", paramLabel = "N",
            description = "Fresh JVMs for each test (default ${DEFAULT-VALUE}).")
    private String launches;

    @Mixin
    private PerfOptions options;

    @Mixin
    private JsonOption json;

    @Spec
    private CommandSpec spec;

    CompareCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        Link path = DeviceOptions.link(options.link);
        if (ASYNC.equals(first) && second == null) {
            return async(path);
        }
        if (first == null && second == null && path != Link.LOOPBACK) {
            return goals(path);
        }
        if (first == null || second == null) {
            throw new BadOptionException("two tests are needed, A and B; allowed: " + PerfTest.labels());
        }
        int count = launches();
        List<String> argsA = arguments(first);
        List<String> argsB = arguments(second);
        Samples[] a = samples();
        Samples[] b = samples();
        try (Terminal.ProgressLine progress = terminal.progress("verbena compare")) {
            for (int i = 0; i < count; i++) {
                progress.at("launch " + (i + 1) + " of " + count);
                measure(argsA, a);
                progress.at("launch " + (i + 1) + " of " + count);
                measure(argsB, b);
            }
        }
        if (json.json) {
            terminal.line(toJson(count, a, b).toString());
        } else {
            print(count, a, b);
        }
        return 0;
    }

    /** Everything that is to be reached on a path. */
    private int goals(Link path) {
        List<String> words = Rendezvous.words(List.of(), spec.commandLine().getParseResult());
        requireOnly(GOAL_OPTIONS, "compare --link " + path.label() + " without tests");
        options.toConfig(PerfTest.BARE_LAT); // refuses bad values
        int link = words.indexOf("--link");
        words.subList(link, link + 2).clear();
        Goals goals = path == Link.SHM
                ? new Goals(List.of(ShmLaunch.values()), ShmLaunch.goals(), terminal, launches(), words)
                : new Goals(List.of(UdpLaunch.values()), UdpLaunch.goals(), terminal, launches(), words);
        try (Terminal.ProgressLine progress = terminal.progress("verbena compare")) {
            goals.run(progress);
        }
        if (json.json) {
            goals.printJson();
        } else {
            goals.print();
        }
        return 0;
    }

    /** Everything that the asynchronous API is to reach beside verbs. */
    private int async(Link path) {
        if (path != Link.LOOPBACK) {
            throw new BadOptionException("--link does not go with compare async; it measures on loopback and over shm");
        }
        List<String> words = Rendezvous.words(List.of(), spec.commandLine().getParseResult());
        requireOnly(ASYNC_OPTIONS, "compare async");
        options.toConfig(PerfTest.BARE_LAT); // refuses bad values
        AsyncGoals goals = new AsyncGoals(terminal, launches(), words);
        try (Terminal.ProgressLine progress = terminal.progress("verbena compare")) {
            goals.run(progress);
        }
        goals.print(json.json);
        return 0;
    }

    private void requireOnly(List<String> allowed, String what) {
        for (OptionSpec option : spec.commandLine().getParseResult().matchedOptions()) {
            if (!allowed.contains(option.longestName())) {
                throw new BadOptionException(option.longestName() + " does not go with " + what + "; allowed: "
                        + String.join(", ", allowed));
            }
        }
    }

    private int launches() {
        return (int) new OptionRange("--launches", 1, 1_000, "launches").parse(launches);
    }

    private static Samples[] samples() {
        Samples[] samples = new Samples[FIELDS.length];
        Arrays.setAll(samples, i -> new Samples());
        return samples;
    }

    /** The words of one side, checked as the perf command itself would, the device's limits included. */
    private List<String> arguments(String test) {
        List<String> words = new ArrayList<>(Rendezvous.words(
                List.of(test.strip().split("\\s+")), spec.commandLine().getParseResult()));
        PerfCommand perf = new PerfCommand(terminal);
        try {
            new CommandLine(perf).parseArgs(words.toArray(String[]::new));
        } catch (ParameterException e) {
            throw new BadOptionException(e.getMessage().lines().findFirst().orElse(test) + " (in " + test + ")");
        }
        PerfConfig config = perf.config();
        if (config.size() == PerfConfig.ALL_SIZES) {
            throw new BadOptionException("-a does not go with compare; it compares one size, given by -s");
        }
        DeviceOptions.checked(() -> {
            PerfRunner.check(config);
            return null;
        });
        words.addFirst("perf");
        if (config.path().transport().link() != Link.LOOPBACK) {
            words.add("--self");
        }
        words.add("--json");
        return words;
    }

    private static void measure(List<String> words, Samples[] samples) {
        String line = FreshJvm.run(words);
        for (int i = 0; i < FIELDS.length; i++) {
            samples[i].add(FreshJvm.number(line, FIELDS[i]));
        }
    }

    private Json toJson(int count, Samples[] a, Samples[] b) {
        Json result = new Json().put("a", first).put("b", second).put("launches", count);
        for (int i = 0; i < FIELDS.length; i++) {
            result.put(FIELDS[i], new Json().put("a_ns", a[i].median()).put("b_ns", b[i].median())
                    .put("ratio_of_medians", a[i].median() / b[i].median())
                    .put("median_of_ratios", a[i].medianRatio(b[i])));
        }
        return result;
    }

    private void print(int count, Samples[] a, Samples[] b) {
        terminal.line("Medians over " + count + " fresh JVMs of each, in turns");
        terminal.format("  A = %s", first);
        terminal.format("  B = %s", second);
        terminal.format("%-8s %12s %12s %20s %20s", "", "A", "B", "median A / median B", "median of A / B");
        for (int i = 0; i < FIELDS.length; i++) {
            terminal.format("%-8s %12s %12s %19.3fx %19.3fx", FIELDS[i].equals("p999") ? "p99.9" : FIELDS[i],
                    Units.nanos(a[i].median()), Units.nanos(b[i].median()), a[i].median() / b[i].median(),
                    a[i].medianRatio(b[i]));
        }
    }
}
