package io.verbena.cli;

import io.verbena.bench.Json;
import io.verbena.bench.Progress;
import io.verbena.bench.Samples;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Measures a path beside its floor and beside others, in turns of fresh processes, and says which goals are met. */
final class Goals {
    private static final long UCX_ITERATIONS = 1_000_000;
    private static final List<String> TIMES = List.of("p50", "p99", "p999");
    private static final String RATE = Goal.RATE;
    private static final String BYTES = "bytes_per_second";
    private static final String ALLOCATED = "allocated_bytes_per_op";

    private final List<? extends Launch> what;
    private final List<Goal> goals;
    private final Terminal terminal;
    private final int launches;
    private final List<String> options;
    private final boolean ucx = UcxPerftest.isHere();
    private final Map<Launch, Map<String, Samples>> figures = new HashMap<>();

    /** Prepares so many turns of launches, the floor first, with options for every test. */
    Goals(List<? extends Launch> what, List<Goal> goals, Terminal terminal, int launches, List<String> options) {
        this.what = what;
        this.goals = goals;
        this.terminal = terminal;
        this.launches = launches;
        this.options = options;
    }

    /** Measures. */
    void run(Progress progress) {
        for (int turn = 1; turn <= launches; turn++) {
            for (Launch launch : what) {
                progress.at("turn " + turn + " of " + launches + ": " + launch.label());
                if (launch.isOurs()) {
                    String line = FreshJvm.run(launch.words(options));
                    (launch.isRate() ? List.of(RATE, BYTES, ALLOCATED) : List.of("p50", "p99", "p999", ALLOCATED))
                            .forEach(field -> samples(launch, field).add(FreshJvm.number(line, field)));
                } else if (ucx) {
                    samples(launch, "p50").add(UcxPerftest.activeMessageP50(UCX_ITERATIONS));
                }
            }
        }
    }

    private Samples samples(Launch launch, String field) {
        return figures.computeIfAbsent(launch, key -> new HashMap<>()).computeIfAbsent(field, key -> new Samples());
    }

    private double ratio(Launch launch, String field, Launch base, String baseField) {
        return samples(launch, field).medianRatio(samples(base, baseField));
    }

    /** Prints it all as text. */
    void print() {
        terminal.line("Medians over " + launches + " turns of fresh processes; ratios are medians of each turn's");
        terminal.format("%-42s %10s %10s %10s %9s %9s %9s",
                "times", "p50", "p99", "p99.9", "/bare p50", "p99", "p99.9");
        for (Launch launch : what) {
            if (!launch.isRate()) {
                StringBuilder line = new StringBuilder(String.format("%-42s", launch.title()));
                TIMES.forEach(field -> line.append(String.format(" %10s", time(launch, field))));
                TIMES.forEach(field -> line.append(
                        String.format(" %9s", times(ratio(launch, field, what.getFirst(), field)))));
                terminal.line(line.toString().stripTrailing());
            }
        }
        terminal.format("%-42s %10s %10s", "rates", "M/s", "GB/s");
        for (Launch launch : what) {
            if (launch.isRate()) {
                terminal.format("%-42s %10s %10s", launch.title(),
                        Units.number("%.3f", samples(launch, RATE).median() / 1e6),
                        Units.number("%.3f", samples(launch, BYTES).median() / 1e9));
            }
        }
        terminal.format("%-42s %-34s %8s %8s", "goals", "against", "ratio", "goal");
        for (Goal goal : goals) {
            double ratio = ratio(goal.ours(), goal.field(), goal.base(), goal.field());
            terminal.format("%-42s %-34s %8s %8s %s", goal.name(), goal.base().title(), times(ratio),
                    (goal.atLeast() ? ">=" : "<=") + Units.number("%.2f", goal.limit()), verdict(goal, ratio));
        }
        terminal.format("%-42s %s", "allocated in both processes, at most",
                Units.number("%.6f B/op", mostAllocated()));
    }

    private String verdict(Goal goal, double ratio) {
        if (Double.isNaN(ratio)) {
            return "skipped: " + (ucx ? "it did not run" : "ucx_perftest is not installed (Debian: ucx-utils)");
        }
        return goal.isMet(ratio, samples(goal.ours(), goal.field()).median()) ? "met" : "missed";
    }

    private double mostAllocated() {
        double most = 0;
        for (Launch launch : what) {
            if (launch.usesVerbs()) {
                most = Math.max(most, samples(launch, ALLOCATED).median());
            }
        }
        return most;
    }

    private String time(Launch launch, String field) {
        double median = samples(launch, field).median();
        return Double.isNaN(median) ? "-" : Units.nanos(median);
    }

    private static String times(double ratio) {
        return Double.isNaN(ratio) ? "-" : Units.number("%.3fx", ratio);
    }

    /** Prints one object a line: the launches, then the goals. */
    void printJson() {
        for (Launch launch : what) {
            Json json = new Json().put("launch", launch.label()).put("title", launch.title()).put("turns", launches);
            for (String field : launch.isRate() ? List.of(RATE, BYTES) : TIMES) {
                json.put(field, samples(launch, field).median());
                if (!launch.isRate()) {
                    json.put(field + "_by_bare", ratio(launch, field, what.getFirst(), field));
                }
            }
            terminal.line(json.put(ALLOCATED, samples(launch, ALLOCATED).median()).toString());
        }
        for (Goal goal : goals) {
            double ratio = ratio(goal.ours(), goal.field(), goal.base(), goal.field());
            terminal.line(new Json().put("goal", goal.name()).put("against", goal.base().label())
                    .put("field", goal.field()).put("ratio", ratio).put(goal.atLeast() ? "least" : "most", goal.limit())
                    .put("verdict", verdict(goal, ratio).replaceAll(":.*", "")).toString());
        }
    }
}
