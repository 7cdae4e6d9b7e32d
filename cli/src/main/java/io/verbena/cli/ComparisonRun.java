package io.verbena.cli;

import io.verbena.bench.AsyncReadCost;
import io.verbena.bench.AsyncThreads;
import io.verbena.bench.BadOptionException;
import io.verbena.bench.BulkCost;
import io.verbena.bench.Comparison;
import io.verbena.bench.OptionRange;
import io.verbena.bench.PostPollCost;
import io.verbena.bench.Progress;
import io.verbena.bench.RunLength;
import io.verbena.bench.ScaleCost;
import io.verbena.verbs.Context;
import io.verbena.verbs.DeviceLimit;
import java.util.List;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** Runs Verbena's own comparisons and prints them. */
final class ComparisonRun {
    private static final int SAMPLES = 15;
    private static final int ASYNC_SAMPLES = 45;
    private static final int ROUNDS = 5;
    private static final double MOST_ROUND_SECONDS = 60;
    private static final List<String> ALWAYS = List.of("-d", "--link", "--self", "--json");

    private final Terminal terminal;
    private final boolean json;
    private final ParseResult given;
    private final PerfOptions options;

    ComparisonRun(Terminal terminal, boolean json, ParseResult given, PerfOptions options) {
        this.terminal = terminal;
        this.json = json;
        this.given = given;
        this.options = options;
    }

    void run(Comparison comparison, Progress progress) {
        List<String> taken = switch (comparison) {
            case SCALE -> List.of("-q", "-t", "-D");
            case ASYNC_READ -> List.of("-s", "-n", "--threading");
            case ASYNC_THREADS -> List.of("-n");
            default -> List.of("-s", "-n");
        };
        for (OptionSpec option : given.matchedOptions()) {
            String name = option.names()[0];
            if (!ALWAYS.contains(name) && !taken.contains(name)) {
                throw new BadOptionException(name + " does not go with " + comparison.label() + "; allowed: "
                        + String.join(", ", taken) + ", " + String.join(", ", ALWAYS));
            }
        }
        try (Context context = DeviceOptions.open(options.device)) {
            checkDevice(comparison, context);
        }
        switch (comparison) {
            case POST_POLL -> postPoll(progress);
            case BULK_COST -> bulkCost(progress);
            case ASYNC_READ -> asyncRead(progress);
            case ASYNC_THREADS -> asyncThreads(progress);
            case SCALE -> scale(progress);
        }
    }

    private void checkDevice(Comparison comparison, Context context) {
        if (comparison != Comparison.SCALE) {
            return;
        }
        long most = context.queryDevice().limit(DeviceLimit.MAX_QP) / 2;
        if (pairs() > most) {
            throw BadOptionException.value("-q", pairs(), "1 to " + most + " pairs on this device");
        }
        long deepest = context.queryDevice().limit(DeviceLimit.MAX_QP_WR);
        if (depth() > deepest) {
            throw BadOptionException.value("-t", depth(), "2 to " + deepest + " work requests on this device");
        }
    }

    private int pairs() {
        return DeviceOptions.number(OptionRange.QPS, options.qps, ScaleCost.PAIRS);
    }

    private int depth() {
        return DeviceOptions.number(ScaleCost.DEPTH, options.txDepth, ScaleCost.USUAL_DEPTH);
    }

    private int operations(int usual) {
        return DeviceOptions.number(OptionRange.ITERATIONS, options.iterations, usual);
    }

    private void postPoll(Progress progress) {
        OptionRange range = new OptionRange("-s", 1, 1 << 20, "bytes", true);
        PostPollCost.Result result = PostPollCost.run(options.device,
                DeviceOptions.number(range, options.size, 64), operations(1_000_000), SAMPLES, progress);
        if (json) {
            terminal.line(result.toJson().toString());
            return;
        }
        terminal.format("%d B, medians of %d samples taken in turns     ns/op    ratio", result.size(), SAMPLES);
        terminal.format("  %-44s %8.2f", "copy + release store + acquire load", result.baselineNs());
        terminal.format("  %-44s %8.2f %7.2fx", "signalled WRITE post + poll, SINGLE", result.singleNs(),
                result.singleRatio());
        terminal.format("  %-44s %8.2f %7.2fx", "signalled WRITE post + poll, SAFE", result.safeNs(),
                result.safeRatio());
    }

    private void bulkCost(Progress progress) {
        BulkCost.Result result = BulkCost.run(options.device,
                DeviceOptions.number(OptionRange.SIZE, options.size, 1 << 20), operations(200), SAMPLES, progress);
        if (json) {
            terminal.line(result.toJson().toString());
            return;
        }
        terminal.format("%d B, medians of %d samples taken in turns     GB/s    ratio", result.size(), SAMPLES);
        terminal.format("  %-44s %8.2f", "MemorySegment.copy", result.copyBytesPerSecond() / 1e9);
        terminal.format("  %-44s %8.2f %7.2fx", "RDMA READ", result.readBytesPerSecond() / 1e9, result.readRatio());
        terminal.format("  %-44s %8.2f %7.2fx", "RDMA WRITE", result.writeBytesPerSecond() / 1e9,
                result.writeRatio());
    }

    private void asyncRead(Progress progress) {
        OptionRange range = new OptionRange("-s", 1, 1 << 20, "bytes", true);
        AsyncReadCost.Result result = AsyncReadCost.run(options.device, options.threading(),
                DeviceOptions.number(range, options.size, 64), operations(50_000), ASYNC_SAMPLES, progress);
        if (json) {
            terminal.line(result.toJson().toString());
            return;
        }
        terminal.format("READ %d B, %s, %d samples in turns; ns are means of 32", result.size(), result.threading(),
                ASYNC_SAMPLES);
        terminal.format("  %-40s %8s %8s %8s %8s %8s", "", "p50", "ratio", "p99", "p99.9", "B/op");
        for (AsyncReadCost.Row row : result.rows()) {
            terminal.format("  %-40s %8.2f %7.2fx %8.2f %8.2f %8.2f%s", row.way().title(), row.ns(), row.ratio(),
                    row.p99(), row.p999(), row.bytes(), row.way().isGoal() ? row.isMet() ? "  met" : "  missed" : "");
        }
    }

    private void asyncThreads(Progress progress) {
        AsyncThreads.Result result = AsyncThreads.run(options.device, operations(10_000), progress);
        if (json) {
            terminal.line(result.toJson().toString());
            return;
        }
        terminal.format("Blocking READs of 64 B on one connection, medians of rounds in turns     M/s    ratio");
        terminal.format("  %-62s %10.3f", "one thread", result.aloneRate() / 1e6);
        terminal.format("  %-62s %10.3f %7.2fx", result.threads() + " virtual threads, " + result.operations()
                + " each, pinned " + result.pinned() + " times", result.rate() / 1e6, result.ratio());
    }

    private void scale(Progress progress) {
        double seconds = options.duration == null ? ScaleCost.ROUND_SECONDS
                : RunLength.parseSeconds("-D", options.duration, MOST_ROUND_SECONDS, false);
        ScaleCost.Result result = ScaleCost.run(options.device, pairs(), depth(), ROUNDS, seconds, progress);
        if (json) {
            terminal.line(result.toJson().toString());
            return;
        }
        terminal.format("SEND 64 B round trip, depth %d, medians of %d rounds      p50    ratio   set-up",
                result.depth(), ROUNDS);
        terminal.format("  %-44s %11s", "one pair alone", Units.nanos(result.aloneP50Ns()));
        row(result.pairs() + " pairs, each with its own two queues", result.own());
        row(result.pairs() + " pairs on " + result.shared().cqs() + " queues", result.shared());
        terminal.format("Memory of one                                        heap   off the heap");
        memory("queue pair with completion queues of its own", result.own().perQp());
        memory("queue pair on shared completion queues", result.shared().perQp());
        memory("completion queue", result.own().perCq());
    }

    private void row(String name, ScaleCost.Many many) {
        terminal.format("  %-44s %11s %7.2fx %7.2fs", name, Units.nanos(many.p50Ns()), many.ratio(),
                many.setUpSeconds());
    }

    private void memory(String name, ScaleCost.Memory one) {
        terminal.format("  %-44s %8.0f B %12.0f B", name, one.heap(), one.offHeap());
    }
}
