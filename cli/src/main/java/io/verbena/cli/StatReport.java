package io.verbena.cli;

import io.verbena.bench.Json;
import io.verbena.nic.stat.CounterFileLayout;
import io.verbena.nic.stat.CounterOwner;
import io.verbena.nic.stat.DeviceCounter;
import io.verbena.nic.stat.QueuePairSample;
import java.util.List;

/** Prints samples, as text or as one JSON object each. */
final class StatReport {
    private static final double MILLIS = 1e3;
    private static final String[] NAMES = {
        "sends", "writes", "reads", "atomics", "recvs", "sent_bytes", "read_bytes", "recv_bytes", "rnr", "retries"
    };
    private static final int[] WORDS = {
        CounterFileLayout.SENDS, CounterFileLayout.WRITES, CounterFileLayout.READS, CounterFileLayout.ATOMICS,
        CounterFileLayout.RECEIVES, CounterFileLayout.SENT_BYTES, CounterFileLayout.READ_BYTES,
        CounterFileLayout.RECEIVED_BYTES, CounterFileLayout.RNR_WAITS, CounterFileLayout.RETRIES
    };

    private final Terminal terminal;
    private final StatView view;
    private final boolean json;

    StatReport(Terminal terminal, StatView view, boolean json) {
        this.terminal = terminal;
        this.view = view;
        this.json = json;
    }

    void print(StatSample sample) {
        if (json) {
            terminal.line(toJson(sample).toString());
        } else {
            printText(sample);
        }
    }

    private static double uptime(StatSample sample) {
        return Math.max(0, System.currentTimeMillis() - sample.now().openedMillis()) / MILLIS;
    }

    // Text

    private void printText(StatSample sample) {
        CounterOwner owner = sample.now().owner();
        terminal.format("%s of process %d, open for %.0f s%s", owner.device(), owner.pid(), uptime(sample),
                sample.hasRates() ? Units.number(", rates over %.2f s", sample.seconds()) : "");
        if (!sample.now().consistent()) {
            terminal.line("  a queue pair is being closed: totals may miss it or count it twice");
        }
        for (DeviceCounter counter : DeviceCounter.values()) {
            long total = sample.now().total(counter);
            if (total != 0 || view.zeros()) {
                boolean rate = sample.hasRates() && counter.unit() != DeviceCounter.Unit.NOW;
                terminal.line(String.format("  %-28s %20d%s", counter.label(), total,
                        rate ? Units.number(" %17.1f/s", sample.rate(counter)) : ""));
            }
        }
        if (view.queuePairs()) {
            printQueuePairs(sample);
        }
        terminal.line("");
    }

    private void printQueuePairs(StatSample sample) {
        List<QueuePairSample> chosen = view.choose(sample);
        StringBuilder head = new StringBuilder(String.format("  %-8s %-4s %-5s %-8s", "qpn", "type", "state", "peer"));
        for (String name : NAMES) {
            head.append(String.format(" %12s", name));
        }
        head.append(String.format(" %8s", "errors"));
        if (sample.hasRates()) {
            head.append(String.format(" %12s %14s", "ops/s", "bytes/s"));
        }
        terminal.line(head.toString());
        for (QueuePairSample each : chosen) {
            StringBuilder line = new StringBuilder(String.format("  0x%06x %-4s %-5s %-8s", each.qpNum(), each.type(),
                    each.state(), each.peer() == 0 ? "-" : String.format("0x%06x", each.peer())));
            for (int word : WORDS) {
                line.append(String.format(" %12d", each.get(word)));
            }
            line.append(String.format(" %8d", each.errors()));
            if (sample.hasRates()) {
                line.append(Units.number(" %12.1f", rate(sample, each, StatOrder.OPS)))
                        .append(Units.number(" %14.1f", rate(sample, each, StatOrder.BYTES)));
            }
            terminal.line(line.toString());
        }
        long rest = sample.now().queuePairs().size() - chosen.size();
        if (rest > 0) {
            terminal.format("  and %d more queue pair(s); --top shows more", rest);
        }
        if (sample.now().hidden() > 0) {
            terminal.format("  and %d queue pair(s) that the counter file has no room for", sample.now().hidden());
        }
    }

    private static double rate(StatSample sample, QueuePairSample queuePair, StatOrder what) {
        QueuePairSample before = sample.before(queuePair);
        return sample.rate(what.key(queuePair), before == null ? 0 : what.key(before));
    }

    // JSON

    private Json toJson(StatSample sample) {
        CounterOwner owner = sample.now().owner();
        Json object = new Json().put("device", owner.device()).put("pid", owner.pid())
                .put("open_s", uptime(sample)).put("consistent", sample.now().consistent());
        Json counters = new Json();
        Json rates = new Json();
        for (DeviceCounter counter : DeviceCounter.values()) {
            counters.put(counter.label(), sample.now().total(counter));
            if (sample.hasRates() && counter.unit() != DeviceCounter.Unit.NOW) {
                rates.put(counter.label(), sample.rate(counter));
            }
        }
        object.put("counters", counters);
        if (sample.hasRates()) {
            object.put("seconds", sample.seconds()).put("rates_per_s", rates);
        }
        if (view.queuePairs()) {
            object.put("queue_pairs", view.choose(sample).stream().map(each -> toJson(sample, each)).toList())
                    .put("queue_pairs_open", sample.now().queuePairs().size() + sample.now().hidden())
                    .put("queue_pairs_hidden", sample.now().hidden());
        }
        return object;
    }

    private static Json toJson(StatSample sample, QueuePairSample queuePair) {
        Json object = new Json().put("qpn", queuePair.qpNum()).put("type", queuePair.type())
                .put("state", queuePair.state()).put("peer_qpn", queuePair.peer());
        for (int i = 0; i < WORDS.length; i++) {
            object.put(NAMES[i], queuePair.get(WORDS[i]));
        }
        object.put("errors", queuePair.errors());
        if (sample.hasRates()) {
            object.put("ops_per_s", rate(sample, queuePair, StatOrder.OPS))
                    .put("bytes_per_s", rate(sample, queuePair, StatOrder.BYTES));
        }
        return object;
    }
}
