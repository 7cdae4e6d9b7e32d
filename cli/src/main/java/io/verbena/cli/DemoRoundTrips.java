package io.verbena.cli;

import io.verbena.bench.Json;
import io.verbena.bench.Percentiles;
import io.verbena.bench.PerfConfig;
import io.verbena.bench.PerfTest;
import io.verbena.bench.RoundTrip;
import java.util.ArrayList;
import java.util.List;

/** The last step of the demo: round trips of Verbena, of bare cache lines and of TCP, measured in turns. */
final class DemoRoundTrips implements AutoCloseable {
    private static final int SIZE = 64;
    private static final int TURNS = 10;

    private final DemoReport report;
    private final Terminal.ProgressLine progress;
    private final List<Row> rows = new ArrayList<>();

    /**
     * A row of the table.
     *
     * @param id for machines
     * @param name for people
     * @param trip what is measured
     */
    private record Row(String id, String name, RoundTrip trip) {}

    DemoRoundTrips(String device, DemoReport report, Terminal.ProgressLine progress) {
        this.report = report;
        this.progress = progress;
        add("tcp_busy", "TCP over loopback, both ends spinning", RoundTrip.tcp(true, SIZE));
        add("tcp_blocking", "TCP over loopback, blocking", RoundTrip.tcp(false, SIZE));
        add("send", "Verbena SEND", verbs(PerfTest.SEND_LAT, device));
        add("write", "Verbena WRITE, each end watching memory", verbs(PerfTest.WRITE_LAT, device));
        add("read", "Verbena READ, one thread", verbs(PerfTest.READ_LAT, device));
        add("bare", "bare cache lines, no verbs: the floor", verbs(PerfTest.BARE_LAT, device));
    }

    private void add(String id, String name, RoundTrip trip) {
        rows.add(new Row(id, name, trip));
    }

    private static RoundTrip verbs(PerfTest test, String device) {
        return RoundTrip.of(PerfConfig.defaults(test, device).withSize(SIZE));
    }

    void run(double seconds) {
        report.step("round_trips", "How long 64 bytes take, there and back between two threads, here and now");
        report.say("(measured in turns, which takes a few seconds)");
        rows.forEach(row -> row.trip().warmUp(seconds / 2, progress));
        for (int turn = 1; turn <= TURNS; turn++) {
            for (Row row : rows) {
                row.trip().slice(seconds / TURNS, text -> { });
                progress.at("round trips, turn " + turn + " of " + TURNS);
            }
        }
        progress.close();
        report.say(String.format("%-40s %8s %8s %8s   %s", "", "p50", "p99", "p99.9", "p50 against busy TCP"));
        long tcp = p50("tcp_busy");
        rows.forEach(row -> print(row, tcp));
        double overFloor = p50("send") / (double) p50("bare");
        report.say(Units.number("A SEND takes %.2f times as long as the bare exchange of cache lines under it.",
                overFloor));
        report.fact("send_p50_by_bare_p50", Units.number("%.3f", overFloor));
        report.done();
    }

    private long p50(String id) {
        for (Row row : rows) {
            if (row.id().equals(id)) {
                return row.trip().percentiles().p50();
            }
        }
        throw new IllegalArgumentException(id);
    }

    private void print(Row row, long tcp) {
        Percentiles times = row.trip().percentiles();
        double faster = tcp / (double) times.p50();
        report.say(String.format("%-40s %8s %8s %8s   %s", row.name(), Units.nanos(times.p50()),
                Units.nanos(times.p99()), Units.nanos(times.p999()), against(faster)));
        report.roundTrip(new Json().put("name", row.id()).put("size", SIZE).put("latency_ns", times.toJson())
                .put("tcp_busy_p50_by_p50", faster));
    }

    private static String against(double faster) {
        if (faster > 0.95 && faster < 1.05) {
            return "the same";
        }
        double ratio = faster > 1 ? faster : 1 / faster;
        return Units.number(ratio >= 10 ? "%.0f" : "%.1f", ratio) + (faster > 1 ? " times faster" : " times slower");
    }

    @Override
    public void close() {
        RuntimeException first = null;
        for (Row row : rows) {
            try {
                row.trip().close();
            } catch (RuntimeException e) {
                first = e;
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
