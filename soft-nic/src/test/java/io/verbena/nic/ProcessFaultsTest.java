package io.verbena.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.Waiting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Processes that are killed and stopped while both ends send, write, read and count. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "link=shm needs Linux")
class ProcessFaultsTest {
    private static final String DEVICE = "soft5?link=shm";
    private static final int STARTED_AHEAD = 2;
    private static final int LONG_STOPS = 5;

    private final Random random = new Random(5);

    private static End newEnd() {
        return new End(DEVICE, Setup.of(Threading.SINGLE, 64));
    }

    private static CompletableFuture<List<WcStatus>> start(MixedTraffic traffic) {
        return CompletableFuture.supplyAsync(traffic::run, Signals.NEW_THREAD);
    }

    private static List<WcStatus> result(CompletableFuture<List<WcStatus>> running) throws Exception {
        return running.get(2 * Waiting.LIMIT_NANOS, TimeUnit.NANOSECONDS);
    }

    private static void checkBrokenOff(List<WcStatus> failures) {
        assertTrue(failures.isEmpty() || failures.getFirst() == WcStatus.RETRY_EXC_ERR
                || failures.getFirst() == WcStatus.WR_FLUSH_ERR, failures.toString());
    }

    private static void acknowledgeEvents(End end) {
        for (AsyncEvent event = end.context.getAsyncEvent(0); event != null; event = end.context.getAsyncEvent(0)) {
            end.context.acknowledge(event);
        }
    }

    // Kills

    private void kill(int times) throws Exception {
        Footing before = null;
        try (End keeper = newEnd()) {
            ArrayDeque<TrafficProcess> ahead = new ArrayDeque<>();
            for (int i = 0; i < times; i++) {
                while (ahead.size() < Math.min(STARTED_AHEAD, times - i)) {
                    ahead.add(new TrafficProcess(DEVICE, i));
                }
                try (TrafficProcess other = ahead.remove()) {
                    killOnce(other, i);
                }
                if (i == 0) {
                    before = Footing.now(); // with what the first use of anything leaves
                }
            }
            Footing.await(before, keeper);
        }
    }

    private void killOnce(TrafficProcess other, int seed) throws Exception {
        try (End end = newEnd()) {
            MixedTraffic traffic = other.connect(end, seed);
            CompletableFuture<List<WcStatus>> running = start(traffic);
            long enough = random.nextInt(300);
            assertTrue(Waiting.until(() -> traffic.rounds() >= enough || running.isDone(), Waiting.LIMIT_NANOS));
            Waiting.pause(random.nextInt(2_000_000));
            other.process().destroyForcibly();
            List<WcStatus> failures = result(running);
            assertTrue(!failures.isEmpty(), "nothing has failed");
            checkBrokenOff(failures);
            assertEquals(QueuePairState.ERR, end.qp.state());
            other.process().waitFor();
            acknowledgeEvents(end);
        }
    }

    @Test
    void killsLeaveNothingBehind() throws Exception {
        kill(6);
    }

    @Test
    @Tag("ci")
    @Timeout(600)
    void manyKillsLeaveNothingBehind() throws Exception {
        kill(200);
    }

    /** What a process has open. */
    private record Footing(long descriptors, long mappings, long threads) {
        static Footing now() {
            return new Footing(count("/proc/self/fd"), mapped(), count("/proc/self/task"));
        }

        private static long count(String folder) {
            try (Stream<Path> all = Files.list(Path.of(folder))) {
                return all.count();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static long mapped() {
            try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
                return lines.filter(line -> line.contains("memfd:verbena-")).count();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** Waits until no more is open than before, give or take the threads and files of the JVM's own. */
        static void await(Footing before, End keeper) {
            assertTrue(Waiting.until(() -> {
                Footing now = now();
                return keeper.qp.state() == QueuePairState.RESET && now.descriptors <= before.descriptors + 3
                        && now.mappings <= before.mappings + 3 && now.threads <= before.threads + 6;
            }, Waiting.LIMIT_NANOS), () -> before + " became " + now());
        }
    }

    // Stops

    private void stopForAWhile(int times, long leastMs, long mostMs) throws Exception {
        try (End end = newEnd(); TrafficProcess other = new TrafficProcess(DEVICE, 1)) {
            MixedTraffic traffic = other.connect(end, 2);
            CompletableFuture<List<WcStatus>> running = start(traffic);
            for (int i = 0; i < times; i++) {
                long before = traffic.rounds();
                assertTrue(Waiting.until(() -> traffic.rounds() > before + 10, Waiting.LIMIT_NANOS), "it goes on");
                Waiting.pause(random.nextInt(3_000_000));
                Signals.stop(other.process());
                Waiting.pause(TimeUnit.MILLISECONDS.toNanos(random.nextLong(leastMs, mostMs)));
                Signals.resume(other.process());
            }
            other.end();
            TrafficProcess.Report report = other.report();
            traffic.end();
            assertEquals(List.of(), result(running));
            assertEquals(List.of(), report.failures());
            assertTrue(Waiting.until(() -> {
                traffic.takeReceives();
                return traffic.received() == report.rounds();
            }, Waiting.LIMIT_NANOS), () -> traffic.received() + " messages of " + report.rounds());
        }
    }

    @Test
    void shortStopsLoseNothing() throws Exception {
        stopForAWhile(4, 50, 300);
    }

    @Test
    @Tag("ci")
    @Timeout(300)
    void manyShortStopsLoseNothing() throws Exception {
        stopForAWhile(50, 100, 2_000);
    }

    @Test
    @Tag("ci")
    @Timeout(120)
    void longStopsAreDetected() throws Exception {
        List<End> ends = new ArrayList<>();
        List<TrafficProcess> others = new ArrayList<>();
        List<CompletableFuture<List<WcStatus>>> running = new ArrayList<>();
        for (int i = 0; i < LONG_STOPS; i++) {
            ends.add(newEnd());
            others.add(new TrafficProcess(DEVICE, i));
            running.add(start(others.getLast().connect(ends.getLast(), i)));
            Waiting.pause(random.nextInt(10_000_000));
        }
        for (TrafficProcess other : others) {
            Signals.stop(other.process());
        }
        long start = System.nanoTime();
        for (CompletableFuture<List<WcStatus>> one : running) {
            List<WcStatus> failures = result(one);
            assertTrue(!failures.isEmpty(), "nothing has failed");
            checkBrokenOff(failures);
        }
        long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        assertTrue(tookMs < 10_000, "it was noticed after " + tookMs + " ms");
        Waiting.pause(TimeUnit.SECONDS.toNanos(15) - (System.nanoTime() - start));
        for (int i = 0; i < LONG_STOPS; i++) {
            Signals.resume(others.get(i).process());
            TrafficProcess.Report report = others.get(i).report();
            assertTrue(!report.failures().isEmpty(), "its end has not failed");
            checkBrokenOff(report.failures());
            assertEquals(QueuePairState.ERR, ends.get(i).qp.state());
            acknowledgeEvents(ends.get(i));
            ends.get(i).close();
            others.get(i).close();
        }
    }
}
