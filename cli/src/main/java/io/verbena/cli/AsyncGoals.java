package io.verbena.cli;

import io.verbena.bench.Json;
import io.verbena.bench.Progress;
import io.verbena.bench.Samples;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Measures the asynchronous API beside verbs in turns of fresh processes, and says which goals are met. */
final class AsyncGoals {
    private static final String SINGLE = "async_read";
    private static final String SAFE = "async_read --threading safe";
    private static final String SEND = "send_lat";
    private static final String ASYNC_SEND = "async_lat";
    private static final String READ = "read_comp_lat";
    private static final String ASYNC_READ = "async_read_lat";
    private static final String THREADS = "async_threads";
    private static final String SHM = "--link shm --self";
    /** Operations in a second that are enough for virtual threads, whatever one thread does. */
    private static final double ENOUGH = 1e6;

    private static final List<String> LOOPBACK = List.of(SINGLE, SAFE, THREADS);
    private static final List<String> PAIRS = List.of(SEND, ASYNC_SEND, READ, ASYNC_READ);

    /**
     * Something to reach.
     *
     * @param name what people read
     * @param test whose figure it is
     * @param field which of its figures
     * @param base the test whose figure it is divided by; null for none
     * @param limit what to reach
     * @param atLeast whether it must be reached, unless the rate is enough by itself; else it must not be exceeded
     */
    private record Aim(String name, String test, String field, String base, double limit, boolean atLeast) {
        static Aim most(String name, String test, String field, double limit) {
            return new Aim(name, test, field, null, limit, false);
        }
    }

    private final Terminal terminal;
    private final int launches;
    private final List<String> options;
    private final Map<String, Samples> figures = new HashMap<>();

    /** Prepares so many turns, with options for the tests of two processes. */
    AsyncGoals(Terminal terminal, int launches, List<String> options) {
        this.terminal = terminal;
        this.launches = launches;
        this.options = options;
    }

    private static List<Aim> aims() {
        List<Aim> aims = new ArrayList<>();
        for (String test : List.of(SINGLE, SAFE)) {
            String mode = test.equals(SINGLE) ? ", SINGLE" : ", SAFE";
            aims.add(Aim.most("READ, callback, unchecked" + mode, test, "callback_ratio", 1.5));
            aims.add(Aim.most("READ, callback, checked" + mode, test, "checked_callback_ratio", 2.5));
            aims.add(Aim.most("READ, callback, bytes" + mode, test, "checked_callback_bytes_per_op", 0.01));
            aims.add(Aim.most("READ, join(), unchecked" + mode, test, "join_ratio", 4));
            aims.add(Aim.most("READ, join(), checked" + mode, test, "checked_join_ratio", 4));
            aims.add(Aim.most("READ, join(), bytes" + mode, test, "checked_join_bytes_per_op", 100));
        }
        aims.add(new Aim("send and receive, shm, p50", ASYNC_SEND, "p50", SEND, 1.6, false));
        aims.add(new Aim("read().join(), shm, p50", ASYNC_READ, "p50", READ, 2, false));
        aims.add(new Aim("100 virtual threads by one, or 1 M/s", THREADS, "ratio", null, 0.5, true));
        aims.add(Aim.most("virtual threads pinned", THREADS, "pinned", 0));
        return aims;
    }

    /** Measures. */
    void run(Progress progress) {
        for (int turn = 1; turn <= launches; turn++) {
            for (String test : LOOPBACK) {
                launch(turn, test, List.of(), progress);
            }
            for (String test : PAIRS) {
                List<String> more = new ArrayList<>(options);
                more.addAll(List.of(SHM.split(" ")));
                launch(turn, test, more, progress);
            }
        }
    }

    private void launch(int turn, String test, List<String> more, Progress progress) {
        progress.at("turn " + turn + " of " + launches + ": " + test);
        List<String> words = new ArrayList<>(List.of("perf"));
        words.addAll(List.of(test.split(" ")));
        words.addAll(more);
        words.add("--json");
        String line = FreshJvm.run(words);
        for (Aim aim : aims()) {
            if (test.equals(aim.test) || test.equals(aim.base)) {
                samples(test, aim.field).add(FreshJvm.number(line, aim.field));
            }
        }
        if (test.equals(THREADS)) {
            samples(test, Goal.RATE).add(FreshJvm.number(line, Goal.RATE));
        }
    }

    private Samples samples(String test, String field) {
        return figures.computeIfAbsent(test + ' ' + field, key -> new Samples());
    }

    private double value(Aim aim) {
        Samples ours = samples(aim.test, aim.field);
        return aim.base == null ? ours.median() : ours.medianRatio(samples(aim.base, aim.field));
    }

    private boolean isMet(Aim aim) {
        if (aim.atLeast) {
            return value(aim) >= aim.limit || samples(aim.test, Goal.RATE).median() >= ENOUGH;
        }
        return value(aim) <= aim.limit;
    }

    /** Prints the goals, as text or as one object a line. */
    void print(boolean json) {
        if (!json) {
            terminal.line("Medians over " + launches + " turns of fresh processes, by verbs in the same turn");
            terminal.format("%-42s %10s %10s", "goals", "", "goal");
        }
        for (Aim aim : aims()) {
            String verdict = isMet(aim) ? "met" : "missed";
            if (json) {
                terminal.line(new Json().put("goal", aim.name).put("test", aim.test).put("field", aim.field)
                        .put("value", value(aim)).put(aim.atLeast ? "least" : "most", aim.limit)
                        .put("verdict", verdict).toString());
            } else {
                terminal.format("%-42s %10s %10s %s", aim.name, Units.number("%.3f", value(aim)),
                        (aim.atLeast ? ">=" : "<=") + Units.number("%.2f", aim.limit), verdict);
            }
        }
        if (!json) {
            figure("bare SEND and receive, shm, p50 ns", samples(SEND, "p50"));
            figure("send and receive by futures, shm, p50 ns", samples(ASYNC_SEND, "p50"));
            figure("bare READ, shm, p50 ns", samples(READ, "p50"));
            figure("read().join(), shm, p50 ns", samples(ASYNC_READ, "p50"));
            figure("READs a second of 100 virtual threads", samples(THREADS, Goal.RATE));
        }
    }

    private void figure(String name, Samples samples) {
        terminal.format("%-42s %10s", name, Units.number("%.0f", samples.median()));
    }
}
