package io.verbena.cli;

import io.verbena.bench.Json;
import io.verbena.bench.Percentiles;
import io.verbena.bench.PerfConfig;
import io.verbena.bench.PerfRunner;
import io.verbena.bench.PerfTest;
import io.verbena.bench.RunLength;
import io.verbena.bench.TcpPair;

/** The last step of the demo: round trips of Verbena, of bare cache lines and of TCP, measured one after another. */
final class DemoRoundTrips {
    private static final int SIZE = 64;

    private final String device;
    private final RunLength length;
    private final DemoReport report;
    private final Terminal.ProgressLine progress;

    DemoRoundTrips(String device, RunLength length, DemoReport report, Terminal.ProgressLine progress) {
        this.device = device;
        this.length = length;
        this.report = report;
        this.progress = progress;
    }

    void run() {
        report.step("round_trips", "How long 64 bytes take, there and back between two threads, here and now");
        report.say(String.format("%-36s %9s %9s %9s %14s", "", "p50", "p99", "p99.9", "against TCP"));
        Percentiles tcp = tcp(true);
        row("tcp_busy", "TCP over loopback, both ends spinning", tcp, tcp);
        row("tcp_blocking", "TCP over loopback, blocking", tcp(false), tcp);
        Percentiles send = verbs(PerfTest.SEND_LAT);
        row("send", "Verbena SEND", send, tcp);
        row("write", "Verbena WRITE, each watching memory", verbs(PerfTest.WRITE_LAT), tcp);
        row("read", "Verbena READ, one thread", verbs(PerfTest.READ_LAT), tcp);
        Percentiles bare = verbs(PerfTest.BARE_LAT);
        row("bare", "bare cache lines, no verbs: the floor", bare, tcp);
        double overFloor = send.p50() / (double) bare.p50();
        report.say(Units.number("A SEND takes %.2f times as long as the bare exchange of cache lines under it.",
                overFloor));
        report.fact("send_p50_by_bare_p50", Units.number("%.3f", overFloor));
        report.done();
    }

    private Percentiles verbs(PerfTest test) {
        PerfConfig config = PerfConfig.defaults(test, device).withSize(SIZE).withLength(length);
        Percentiles[] found = new Percentiles[1];
        new PerfRunner(config, progress).run(result -> found[0] = result.latency());
        return found[0];
    }

    private Percentiles tcp(boolean busy) {
        try (TcpPair pair = new TcpPair(busy)) {
            return pair.measure(SIZE, length, progress);
        }
    }

    private void row(String id, String name, Percentiles times, Percentiles tcp) {
        progress.close();
        double faster = tcp.p50() / (double) times.p50();
        String against = faster >= 10 ? Units.number("%.0fx as fast", faster) : Units.number("%.1fx as fast", faster);
        report.say(String.format("%-36s %9s %9s %9s %14s", name, Units.nanos(times.p50()),
                Units.nanos(times.p99()), Units.nanos(times.p999()), against));
        report.roundTrip(new Json().put("name", id).put("size", SIZE).put("latency_ns", times.toJson())
                .put("tcp_busy_p50_by_p50", faster));
    }
}
