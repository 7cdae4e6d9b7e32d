package io.verbena.cli;

import io.verbena.bench.Percentiles;
import io.verbena.bench.Link;
import io.verbena.bench.PerfConfig;
import io.verbena.bench.PerfResult;
import io.verbena.bench.PerfTest;
import io.verbena.verbs.QueuePairType;
import java.util.Locale;

/** Prints results in the manner of perftest. */
final class PerfTable {
    private static final String RULE = "-".repeat(99);
    private static final double MEGA = 1e6;

    private final Terminal terminal;
    private final PerfConfig config;

    PerfTable(Terminal terminal, PerfConfig config) {
        this.terminal = terminal;
        this.config = config;
    }

    void begin() {
        PerfTest test = config.test();
        Link link = config.path().transport().link();
        terminal.line(RULE);
        terminal.format("%" + (RULE.length() + test.title().length()) / 2 + "s", test.title());
        if (!test.usesVerbs()) {
            head("Link", link.label(), link == Link.LOOPBACK ? "Threads" : "Processes", 2);
        } else {
            head("Device", config.device(), "Link", link.label());
            head("Connection type", config.path().transport().label(), "Number of qps", config.queues().qps());
            head("TX depth", config.queues().txDepth(), test.isSend() ? "RX depth" : "", test.isSend()
                    ? config.queues().rxDepth() : "");
            if (test.isBandwidth()) {
                head("CQ moderation", config.queues().cqMod(), "Post list", config.queues().postList());
            }
            boolean datagrams = config.path().transport().type() == QueuePairType.UD;
            head("Mtu", datagrams ? "the port's" : config.path().mtu().bytes() + "[B]",
                    test.canInline() ? "Max inline" : "", test.canInline() ? config.queues().inlineSize() + "[B]" : "");
            head("Threading", config.style().threading().name().toLowerCase(Locale.ROOT), "Waiting",
                    config.style().events() ? "events" : "spinning");
            if (test.isAtomic()) {
                head("Atomic", config.style().atomic(), "", "");
            }
        }
        terminal.line(RULE);
        if (test.isBandwidth()) {
            terminal.format(" %-9s %-12s %-15s %-13s %-10s %-10s %-11s %s", "#bytes", "#iterations", "BW avg[MB/sec]",
                    "rate[Mops/s]", "p50[usec]", "p99[usec]", "max[usec]", "B/op");
        } else {
            terminal.format(" %-9s %-12s %-10s %-10s %-10s %-10s %-11s %-10s %s", "#bytes", "#iterations", "p50[usec]",
                    "p90[usec]", "p99[usec]", "p99.9", "max[usec]", "rate[k/s]", "B/op");
        }
    }

    private void head(String name, Object value, String otherName, Object otherValue) {
        String other = otherName.isEmpty() ? "" : String.format("%-16s: %s", otherName, otherValue);
        terminal.line(String.format(" %-16s: %-24s %s", name, value, other).stripTrailing());
    }

    void row(PerfResult result) {
        Percentiles latency = result.latency();
        if (config.test().isBandwidth()) {
            terminal.format(" %-9d %-12d %-15.2f %-13.3f %-10s %-10s %-11s %.4f", result.config().size(),
                    result.iterations(), result.bytesPerSecond() / MEGA, result.opsPerSecond() / MEGA,
                    sampled(latency.p50()), sampled(latency.p99()), sampled(latency.max()),
                    result.allocatedBytesPerOp());
        } else {
            terminal.format(" %-9d %-12d %-10.3f %-10.3f %-10.3f %-10.3f %-11.3f %-10.1f %.4f",
                    result.config().size(), result.iterations(), micros(latency.p50()), micros(latency.p90()),
                    micros(latency.p99()), micros(latency.p999()), micros(latency.max()),
                    result.opsPerSecond() / 1_000, result.allocatedBytesPerOp());
        }
    }

    private String sampled(long nanos) {
        return config.test().hasTimes() ? String.format(Locale.ROOT, "%.3f", micros(nanos)) : "-";
    }

    private static double micros(long nanos) {
        return nanos / 1_000.0;
    }

    void end(boolean spinHint) {
        terminal.line(RULE);
        String times = config.test().hasTimes() ? " Times are " + config.test().latencyIs()
                + (config.test().isBandwidth() ? ", sampled." : ".") : " No operation is timed by itself.";
        terminal.line(times + " B/op is what the JVM"
                + (config.path().transport().link() == Link.LOOPBACK ? "" : "s of both ends") + " allocated.");
        if (config.test() == PerfTest.BARE_LAT) {
            terminal.line(" Waits " + (spinHint ? "with" : "without") + " Thread.onSpinWait, the faster way here.");
        }
    }
}
