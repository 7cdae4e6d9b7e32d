package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Virtual threads that block on one connection: each reads what it must, none pins the thread that carries it. */
class VirtualThreadsTest {
    private static final int THREADS = 100;
    private static final int FEW = 200;
    private static final int MANY = 10_000;
    private static final int CELL_BYTES = 64;
    private static final int LIMIT_SECONDS = 500;
    /** The aim is 0.5; the rest is for machines that do other things meanwhile. */
    private static final double LEAST_SHARE = 0.2;
    private static final ConnectionConfig CONFIG =
            ConnectionConfig.DEFAULT.withBackPressure(BackPressure.block(Duration.ofSeconds(20)));

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource(value = PollerMode.class, names = {"ADAPTIVE", "MANUAL"})
    void aHundredOfThemReadCorrectlyAndPinNothing(PollerMode mode) throws Exception {
        try (Ends ends = Ends.open("soft", CONFIG, mode)) {
            RemoteMemory cells = cells(ends);
            assertEquals(0, pinned(() -> blockingReads(ends, cells, FEW)));
        }
    }

    @EveryLink
    void theyReadCorrectlyOverEveryLink(String link) throws Exception {
        try (Ends ends = Ends.open(link, CONFIG, PollerMode.ADAPTIVE)) {
            blockingReads(ends, cells(ends), link.equals("lossy") ? FEW / 20 : FEW / 4);
        }
    }

    @ParameterizedTest
    @EnumSource(value = PollerMode.class, names = {"ADAPTIVE", "MANUAL"})
    @Tag("ci")
    @Timeout(600)
    void aHundredOfThemKeepAShareOfTheRateOfOneThreadAlone(PollerMode mode) throws Exception {
        try (Ends ends = Ends.open("soft", CONFIG, mode)) {
            RemoteMemory cells = cells(ends);
            reads(ends, cells, 0, MANY);
            long start = System.nanoTime();
            reads(ends, cells, 0, THREADS * MANY / 10);
            double alone = (double) THREADS * MANY / 10 / (System.nanoTime() - start);
            blockingReads(ends, cells, FEW);
            long[] nanos = new long[1];
            assertEquals(0, pinned(() -> {
                long begin = System.nanoTime();
                blockingReads(ends, cells, MANY);
                nanos[0] = System.nanoTime() - begin;
            }));
            double share = (double) THREADS * MANY / nanos[0] / alone;
            String rates = String.format("%s: %,.0f reads/s by one thread, %,.0f by %d virtual threads: %.2f",
                    mode, alone * 1e9, alone * share * 1e9, THREADS, share);
            System.out.println(rates);
            assertTrue(share > LEAST_SHARE, rates);
        }
    }

    /** The right end's memory, a cell of each thread, each with another value. */
    private static RemoteMemory cells(Ends ends) {
        LocalMemory cells = ends.rightMemory(THREADS * CELL_BYTES);
        for (int i = 0; i < THREADS; i++) {
            cells.slice((long) i * CELL_BYTES, CELL_BYTES).writable().fill((byte) (i + 1));
        }
        return cells.expose(Ends.REMOTE).remote();
    }

    /** Each thread reads its own cell and others in turn, so that each read must change what was there. */
    private static void blockingReads(Ends ends, RemoteMemory cells, int reads) throws Exception {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            int first = t;
            CompletableFuture<Void> end = new CompletableFuture<>();
            all.add(end);
            Thread.ofVirtual().start(() -> {
                try {
                    reads(ends, cells, first, reads);
                    end.complete(null);
                } catch (Throwable e) {
                    end.completeExceptionally(e);
                }
            });
        }
        for (CompletableFuture<Void> each : all) {
            each.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        }
    }

    private static void reads(Ends ends, RemoteMemory cells, int first, int reads) {
        RemoteMemory[] some = new RemoteMemory[3];
        for (int i = 0; i < some.length; i++) {
            some[i] = cells.slice((long) ((first + i) % THREADS) * CELL_BYTES, CELL_BYTES);
        }
        try (LocalMemory mine = ends.leftMemory(CELL_BYTES)) {
            MemorySegment bytes = mine.unchecked();
            for (int i = 0; i < reads; i++) {
                int which = i % some.length;
                ends.left.read(mine, some[which]).join();
                long each = ((first + which) % THREADS + 1) * 0x0101_0101_0101_0101L;
                for (long at = 0; at < CELL_BYTES; at += Long.BYTES) {
                    if (bytes.get(ValueLayout.JAVA_LONG, at) != each) {
                        throw new AssertionError("read " + i + " of the thread of cell " + first);
                    }
                }
            }
        }
    }

    /** What may throw anything. */
    private interface Work {
        void run() throws Exception;
    }

    /** How often a virtual thread pinned its carrier meanwhile, for however short a time. */
    private long pinned(Work work) throws Exception {
        Path file = folder.resolve("pinned.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("jdk.VirtualThreadPinned").withThreshold(Duration.ZERO);
            recording.start();
            work.run();
            recording.stop();
            recording.dump(file);
        }
        long pinned = RecordingFile.readAllEvents(file).stream()
                .filter(each -> each.getEventType().getName().equals("jdk.VirtualThreadPinned")).count();
        Files.delete(file);
        return pinned;
    }
}
