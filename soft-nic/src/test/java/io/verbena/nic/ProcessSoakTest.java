package io.verbena.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Threading;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.Waiting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/**
 * Mixed traffic between two processes for a long time (verbena.soak.minutes, 30 unless said otherwise), while others
 * come, talk and are killed: memory, descriptors, mappings and threads of both stay flat.
 */
@Tag("soak")
@EnabledOnOs(value = OS.LINUX, disabledReason = "link=shm needs Linux")
class ProcessSoakTest {
    private static final String DEVICE = "soft5?link=shm";
    private static final int MINUTES = Integer.getInteger("verbena.soak.minutes", 30);
    /** What a JVM's own housekeeping may take meanwhile. */
    private static final long TOLERATED_KIB = 48 << 10;
    /** A larger heap grows by itself as long as the machine has memory, which looks like a leak. */
    private static final long MOST_HEAP = 256 << 20;

    /** What a process has now. */
    private record Sample(long residentKib, long descriptors, long mappings, long threads) {
        static Sample of(long pid) {
            return new Sample(status(pid, "VmRSS:"), count(pid, "fd"), mapped(pid), status(pid, "Threads:"));
        }

        private static long status(long pid, String name) {
            try (Stream<String> lines = Files.lines(Path.of("/proc/" + pid + "/status"))) {
                return lines.filter(line -> line.startsWith(name))
                        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", ""))).findFirst().orElseThrow();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static long count(long pid, String folder) {
            try (Stream<Path> all = Files.list(Path.of("/proc/" + pid + "/" + folder))) {
                return all.count();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static long mapped(long pid) {
            try (Stream<String> lines = Files.lines(Path.of("/proc/" + pid + "/maps"))) {
                return lines.filter(line -> line.contains("memfd:verbena-")).count();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Test
    @Timeout(value = 6, unit = TimeUnit.HOURS)
    void memoryAndDescriptorsStayFlat() throws Exception {
        assertTrue(Runtime.getRuntime().maxMemory() <= MOST_HEAP, "give this JVM -Xmx128m, as docs/testing.md says");
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(MINUTES);
        long settled = System.nanoTime() + TimeUnit.MINUTES.toNanos(MINUTES) / 4;
        try (End own = new End(DEVICE, Setup.of(Threading.SINGLE, 64));
                TrafficProcess other = new TrafficProcess(DEVICE, 1)) {
            MixedTraffic traffic = other.connect(own, 2);
            CompletableFuture<List<WcStatus>> running =
                    CompletableFuture.supplyAsync(traffic::run, Signals.NEW_THREAD);
            List<Sample> ours = new ArrayList<>();
            List<Sample> theirs = new ArrayList<>();
            int visitors = 0;
            while (System.nanoTime() - end < 0 && !running.isDone()) {
                comeAndGo(visitors++);
                if (System.nanoTime() - settled >= 0) {
                    ours.add(Sample.of(ProcessHandle.current().pid()));
                    theirs.add(Sample.of(other.process().pid()));
                }
            }
            other.end();
            TrafficProcess.Report report = other.report();
            traffic.end();
            assertEquals(List.of(), running.get(2 * Waiting.LIMIT_NANOS, TimeUnit.NANOSECONDS));
            assertEquals(List.of(), report.failures());
            System.out.printf("soak: %d minutes, %d rounds here, %d there, %d visitors killed%n  here  %s%n    to  %s%n"
                    + "  there %s%n    to  %s%n", MINUTES, traffic.rounds(), report.rounds(), visitors,
                    ours.getFirst(), ours.getLast(), theirs.getFirst(), theirs.getLast());
            checkFlat(ours);
            checkFlat(theirs);
        }
    }

    /** Another process connects, talks a little, and is killed. */
    private static void comeAndGo(int seed) throws Exception {
        try (End end = new End(DEVICE, Setup.of(Threading.SINGLE, 64));
                TrafficProcess visitor = new TrafficProcess(DEVICE, seed)) {
            MixedTraffic traffic = visitor.connect(end, seed);
            CompletableFuture<List<WcStatus>> running =
                    CompletableFuture.supplyAsync(traffic::run, Signals.NEW_THREAD);
            assertTrue(Waiting.until(() -> traffic.rounds() >= 200 || running.isDone(), Waiting.LIMIT_NANOS));
            visitor.process().destroyForcibly();
            assertTrue(!running.get(2 * Waiting.LIMIT_NANOS, TimeUnit.NANOSECONDS).isEmpty(), "nothing has failed");
            for (var event = end.context.getAsyncEvent(0); event != null; event = end.context.getAsyncEvent(0)) {
                end.context.acknowledge(event);
            }
        }
    }

    /** Medians of the first and the last quarter tell apart what grows from what comes and goes. */
    private static void checkFlat(List<Sample> samples) {
        int quarter = samples.size() / 4;
        List<Sample> first = samples.subList(0, quarter);
        List<Sample> last = samples.subList(samples.size() - quarter, samples.size());
        assertTrue(quarter > 0, "too short a time for " + samples.size() + " samples");
        assertTrue(median(last, Sample::residentKib) <= median(first, Sample::residentKib) + TOLERATED_KIB,
                () -> "resident: " + first.getFirst() + " to " + last.getLast());
        assertTrue(median(last, Sample::descriptors) <= median(first, Sample::descriptors) + 2,
                () -> "descriptors: " + first.getFirst() + " to " + last.getLast());
        assertTrue(median(last, Sample::mappings) <= median(first, Sample::mappings) + 2,
                () -> "mappings: " + first.getFirst() + " to " + last.getLast());
        assertTrue(median(last, Sample::threads) <= median(first, Sample::threads) + 4,
                () -> "threads: " + first.getFirst() + " to " + last.getLast());
    }

    private static long median(List<Sample> samples, ToLongFunction<Sample> of) {
        return samples.stream().mapToLong(of).sorted().skip(samples.size() / 2).findFirst().orElseThrow();
    }
}
