package io.verbena.cli;

import io.verbena.bench.BadOptionException;
import io.verbena.bench.Json;
import io.verbena.bench.OptionRange;
import io.verbena.bench.PerfException;
import io.verbena.bench.RunLength;
import io.verbena.nic.stat.CounterFiles;
import io.verbena.nic.stat.DeviceCounter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows what the software NICs of this user's processes count, as rdma-statistic(8) does for devices of the kernel. */
@Command(
        name = "stat",
        description = "Show what the software NICs of your processes count (like rdma statistic).",
        footer = {
            "",
            "Each open NIC of each of your processes is listed with its totals since it was opened; with --interval the"
                    + " rates since the last sample too. The processes take no notice of it.",
            "",
            "Exit status: 0 when everything was read; 1 when there is no such process, or a file of a live process"
                    + " can't be read, or one ended before --count samples; 2 for a bad argument,"
                    + " such as a device that no process has open."})
final class StatCommand implements Callable<Integer> {
    private static final double MOST_SECONDS = 86_400;
    private static final OptionRange PID = new OptionRange("--pid", 1, Integer.MAX_VALUE, "as ps shows");
    private static final OptionRange COUNT = new OptionRange("--count", 1, 1_000_000_000, "samples");
    private static final OptionRange TOP = new OptionRange("--top", 1, 1 << 20, "queue pairs");

    private final Terminal terminal;

    @Mixin
    private HelpOption help;

    @Mixin
    private JsonOption json;

    @Option(names = {"-p", "--pid"}, paramLabel = "PID", description = "Only this process (default: all of yours).")
    private String pid;

    @Option(names = {"-d", "--dev"}, paramLabel = "DEV", description = "Only this device, for example soft0.")
    private String device;

    @Option(names = {"-q", "--qp"}, description = "The open queue pairs too, one a line.")
    private boolean queuePairs;

    @Option(names = "--top", paramLabel = "N",
            description = "Only the first N queue pairs in the order of --by; implies --qp.")
    private String top;

    @Option(names = "--by", paramLabel = "ORDER",
            description = "Order of queue pairs: qpn, or most first: bytes, ops, errors, rnr, retries; with --interval"
                    + " by what came since the last sample (default: bytes with --top, else qpn); implies --qp.")
    private String by;

    @Option(names = {"-i", "--interval"}, paramLabel = "SECONDS", description = "Sample again and again, with rates.")
    private String interval;

    @Option(names = {"-c", "--count"}, paramLabel = "N",
            description = "End after N samples (default: 1; with --interval when the processes end).")
    private String count;

    @Option(names = {"-a", "--all"}, description = "Counters that are 0 too (always so with --json).")
    private boolean all;

    @Option(names = "--dir", paramLabel = "DIR",
            description = "Where to look (default: /dev/shm/verbena-UID), as given by soft?countersDir=DIR.")
    private String directory;

    @Option(names = "--describe", description = "Explain every counter and end.")
    private boolean describe;

    StatCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        StatView view = view();
        long wanted = pid == null ? 0 : PID.parse(pid);
        long most = count == null ? interval == null ? 1 : Long.MAX_VALUE : COUNT.parse(count);
        if (count != null && interval == null && most != 1) {
            throw new BadOptionException("--count goes with --interval only");
        }
        long pause = interval == null ? 0
                : (long) (RunLength.parseSeconds("--interval", interval, MOST_SECONDS, false) * 1e9);
        if (describe) {
            describe();
            return 0;
        }
        Path where = directory == null ? CounterFiles.defaultDirectory() : DeviceOptions.folder("--dir", directory);
        return watch(new StatSource(terminal, where, wanted, device), view, most, pause);
    }

    private StatView view() {
        int limit = DeviceOptions.number(TOP, top, Integer.MAX_VALUE);
        StatOrder order = by != null ? order(by) : top != null ? StatOrder.BYTES : StatOrder.QPN;
        return new StatView(queuePairs || top != null || by != null, limit, order, all);
    }

    private static StatOrder order(String text) {
        for (StatOrder order : StatOrder.values()) {
            if (order.name().toLowerCase(Locale.ROOT).equals(text)) {
                return order;
            }
        }
        throw BadOptionException.value("--by", '"' + text + '"', Arrays.stream(StatOrder.values())
                .map(order -> order.name().toLowerCase(Locale.ROOT)).collect(Collectors.joining(", ")));
    }

    private int watch(StatSource source, StatView view, long most, long pause) {
        StatReport report = new StatReport(terminal, view, json.json);
        for (long sample = 1; ; sample++) {
            List<StatSample> samples = source.sample();
            if (samples.isEmpty()) {
                return ended(source, sample, most);
            }
            samples.forEach(report::print);
            terminal.out().flush();
            if (sample == most) {
                return source.isDamaged() ? 1 : 0;
            }
            pause(pause);
        }
    }

    private int ended(StatSource source, long sample, long most) {
        if (sample == 1) {
            if (source.isDeviceUnknown()) {
                throw new BadOptionException(source.nothing());
            }
            terminal.err().println("verbena stat: " + source.nothing());
            return 1;
        }
        boolean all = most == Long.MAX_VALUE;
        terminal.err().println("verbena stat: nothing left to look at after " + (sample - 1) + " sample(s)");
        return all && !source.isDamaged() ? 0 : 1;
    }

    private static void pause(long nanos) {
        try {
            TimeUnit.NANOSECONDS.sleep(nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PerfException("interrupted");
        }
    }

    private void describe() {
        for (DeviceCounter counter : DeviceCounter.values()) {
            if (json.json) {
                terminal.line(new Json().put("counter", counter.label())
                        .put("unit", counter.unit().toString()).put("meaning", counter.meaning()).toString());
            } else {
                terminal.format("%-28s %-6s %s", counter.label(), counter.unit(), counter.meaning());
            }
        }
    }
}
