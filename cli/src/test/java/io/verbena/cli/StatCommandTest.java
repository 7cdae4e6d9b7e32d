package io.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.nic.stat.CounterOwner;
import io.verbena.nic.stat.DeviceCounter;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueueConfig;
import io.verbena.verbs.Context;
import io.verbena.verbs.Devices;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairCapabilities;
import io.verbena.verbs.QueuePairConfig;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.WorkCompletion;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code verbena stat}, on a device of this process. What is read from other processes soft-nic tests. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class StatCommandTest {
    private static final long PID = ProcessHandle.current().pid();

    @TempDir
    private Path directory;

    private Context context;
    private ProtectionDomain domain;
    private CompletionQueue queue;
    private final List<QueuePair> queuePairs = new ArrayList<>();

    @BeforeEach
    void open() {
        context = Devices.open("soft9?countersDir=" + directory);
        domain = context.allocateProtectionDomain();
        queue = context.createCompletionQueue(CompletionQueueConfig.of(64));
        for (int i = 0; i < 3; i++) {
            queuePairs.add(domain.createQueuePair(QueuePairConfig.rc(queue, QueuePairCapabilities.ofDepth(4))));
        }
    }

    @AfterEach
    void close() {
        queuePairs.forEach(QueuePair::close);
        queue.close();
        domain.close();
        context.close();
    }

    /** Flushes so many receives of a queue pair: its errors. */
    private void flush(int index, int receives) {
        QueuePair queuePair = queuePairs.get(index);
        queuePair.modify(QueuePairAttributes.init(1, 0));
        for (int i = 0; i < receives; i++) {
            assertEquals(0, queuePair.postReceive(i, 0, 0, 0));
        }
        queuePair.modify(QueuePairAttributes.toState(QueuePairState.ERR));
        WorkCompletion completion = new WorkCompletion();
        for (int i = 0; i < receives; ) {
            i += queue.poll(completion);
        }
    }

    private Outcome stat(String options) {
        return Outcome.ofLine("stat --dir " + directory + " " + options);
    }

    @Test
    void listsProcessAndDeviceWithWhatIsNotZero() {
        flush(0, 2);
        Outcome outcome = stat("");
        assertEquals(0, outcome.status(), outcome.toString());
        assertEquals("", outcome.err());
        assertTrue(outcome.lines().getFirst().startsWith("soft9 of process " + PID + ", open for "), outcome.out());
        assertTrue(outcome.out().matches("(?s).*\n  qps +3\n.*"), outcome.out());
        assertTrue(outcome.out().matches("(?s).*\n  cqe_wr_flush_err +2\n.*"), outcome.out());
        assertFalse(outcome.out().contains("rdma_sends"), outcome.out());
        assertTrue(stat("--all").out().matches("(?s).*\n  rdma_sends +0\n.*"));
    }

    @Test
    void printsAnObject() {
        flush(1, 3);
        Map<String, Object> object = JsonReader.object(stat("--qp --json").out().strip());
        assertEquals("soft9", object.get("device"));
        assertEquals((double) PID, object.get("pid"));
        Map<?, ?> counters = (Map<?, ?>) object.get("counters");
        assertEquals(DeviceCounter.values().length, counters.size());
        assertEquals(3.0, counters.get("resp_cqe_error"));
        assertEquals(3, ((List<?>) object.get("queue_pairs")).size());
        assertFalse(object.containsKey("rates_per_s"));
    }

    @Test
    void sortsAndLimitsQueuePairs() {
        flush(0, 1);
        flush(1, 3);
        flush(2, 2);
        Outcome outcome = stat("--by errors --top 2");
        List<String> rows = outcome.lines().stream().filter(line -> line.startsWith("  0x")).toList();
        assertEquals(2, rows.size(), outcome.toString());
        assertTrue(rows.get(0).startsWith(String.format("  0x%06x RC   ERR ", queuePairs.get(1).qpNum())), rows.get(0));
        assertTrue(rows.get(0).endsWith(" 3"), rows.get(0));
        assertTrue(rows.get(1).endsWith(" 2"), rows.get(1));
        assertTrue(outcome.out().contains("and 1 more queue pair(s)"), outcome.out());
        Outcome byNumber = stat("--qp");
        assertEquals(3, byNumber.lines().stream().filter(line -> line.startsWith("  0x")).count());
    }

    @Test
    void samplesAgainWithRates() {
        Outcome outcome = stat("--interval 0.05 --count 3 --json --qp");
        assertEquals(0, outcome.status(), outcome.toString());
        assertEquals(3, outcome.lines().size());
        Map<String, Object> last = JsonReader.object(outcome.lines().getLast());
        assertTrue((Double) last.get("seconds") >= 0.05, outcome.toString());
        assertEquals(0.0, ((Map<?, ?>) last.get("rates_per_s")).get("rdma_sends"));
        Outcome text = stat("--interval 0.01 --count 2");
        assertTrue(text.out().contains(", rates over 0.0"), text.out());
        assertTrue(text.out().matches("(?s).*qps_created +3 +0\\.0/s\n.*"), text.out());
    }

    @Test
    void rateIsWhatWasAddedByTheSecond() throws Exception {
        Watch watch = new Watch("--interval", "0.02", "--count", "1000", "--json");
        watch.awaitLines(2);
        flush(0, 4);
        watch.awaitLines(watch.lines().size() + 2);
        close();
        queuePairs.clear();
        assertEquals(1, watch.await(), "ended before the samples asked for");
        double counted = 0;
        for (String line : watch.lines()) {
            Map<String, Object> object = JsonReader.object(line);
            if (object.containsKey("rates_per_s")) {
                counted += (Double) ((Map<?, ?>) object.get("rates_per_s")).get("resp_cqe_error")
                        * (Double) object.get("seconds");
            }
        }
        assertEquals(4, counted, 0.01);
        open();
    }

    @Test
    void watchingEndsWithTheProcesses() throws Exception {
        Watch watch = new Watch("--interval", "0.02");
        watch.awaitLines(3);
        close();
        queuePairs.clear();
        assertEquals(0, watch.await());
        open();
    }

    /** A {@code verbena stat} that goes on while the test does. */
    private final class Watch {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();
        private final AtomicInteger status = new AtomicInteger(-1);
        private final Thread thread;

        Watch(String... options) {
            List<String> words = new ArrayList<>(List.of("stat", "--dir", directory.toString()));
            words.addAll(List.of(options));
            Terminal terminal = new Terminal(new PrintStream(out, true, StandardCharsets.UTF_8),
                    new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8));
            thread = new Thread(() -> status.set(Main.run(terminal, words.toArray(String[]::new))));
            thread.start();
        }

        List<String> lines() {
            return out.toString(StandardCharsets.UTF_8).lines().toList();
        }

        void awaitLines(int count) {
            while (lines().size() < count && thread.isAlive()) {
                Thread.onSpinWait();
            }
            assertTrue(lines().size() >= count, lines()::toString);
        }

        int await() throws InterruptedException {
            thread.join();
            return status.get();
        }
    }

    @Test
    void chosenProcessesAndDevicesOnly() {
        assertEquals(0, stat("--pid " + PID + " --dev soft9").status());
        Outcome device = stat("--dev soft8");
        assertEquals(2, device.status(), "an unknown device is a bad argument, as for other commands");
        assertTrue(device.err().contains("none of your processes has an open software NIC named soft8"), device.err());
        assertEquals(1, device.err().lines().count());
        assertEquals(1, stat("--pid 999999999 --dev soft9").status(), "the device is there, the process is not");
        Outcome process = stat("--pid 999999999");
        assertEquals(1, process.status());
        assertTrue(process.err().contains("process 999999999 has no open software NIC"), process.err());
        assertEquals(1, process.err().lines().count());
        assertEquals("", process.out());
    }

    @Test
    void deadProcessesAreNotedAndDamagedFilesFail() throws Exception {
        CounterOwner self = CounterOwner.current("soft1");
        Path dead = Files.createFile(directory.resolve(new CounterOwner("soft1", PID, 1_000).fileName()));
        Outcome noted = stat("");
        assertEquals(0, noted.status(), noted.toString());
        assertTrue(noted.err().contains("process " + PID + " is dead") && noted.err().contains(dead.toString()),
                noted.err());
        Files.delete(dead);
        Files.writeString(directory.resolve(self.fileName()), "garbage");
        Outcome damaged = stat("");
        assertEquals(1, damaged.status(), damaged.toString());
        assertTrue(damaged.err().contains(self.fileName()) && damaged.err().contains("truncated"), damaged.err());
        assertTrue(damaged.out().contains("soft9 of process"), "the others are shown all the same");
        assertEquals(1, damaged.err().lines().count());
    }

    @Test
    void explainsEveryCounter() {
        Outcome text = Outcome.ofLine("stat --describe");
        assertEquals(0, text.status());
        assertEquals(DeviceCounter.values().length, text.lines().size());
        for (DeviceCounter counter : DeviceCounter.values()) {
            assertTrue(text.out().contains(counter.label() + " ") && text.out().contains(counter.meaning()));
        }
        assertEquals("rdma_sends", Outcome.ofLine("stat --describe --json").lines().stream().map(JsonReader::object)
                .map(object -> object.get("counter")).filter("rdma_sends"::equals).findFirst().orElseThrow());
    }
}
