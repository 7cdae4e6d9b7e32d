package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Virtual threads that block on one connection. */
class VirtualThreadsTest {
    private static final int THREADS = 100;
    private static final int READS = 200;

    @ParameterizedTest
    @EnumSource(value = PollerMode.class, names = {"ADAPTIVE", "MANUAL"})
    void aHundredOfThemReadCorrectlyAndPinNothing(PollerMode mode, @TempDir Path folder) throws Exception {
        ConnectionConfig config = ConnectionConfig.DEFAULT.withBackPressure(BackPressure.block(Duration.ofSeconds(20)));
        try (Recording recording = new Recording(); Ends ends = Ends.open("soft", config, mode)) {
            recording.enable("jdk.VirtualThreadPinned").withThreshold(Duration.ofMillis(1));
            recording.start();
            RemoteMemory remote = ends.rightMemory(64).expose(Ends.REMOTE).remote();
            AtomicLong read = new AtomicLong();
            CountDownLatch end = new CountDownLatch(THREADS);
            for (int t = 0; t < THREADS; t++) {
                Thread.ofVirtual().start(() -> {
                    try (LocalMemory mine = ends.leftMemory(64)) {
                        for (int i = 0; i < READS; i++) {
                            ends.left.read(mine, remote).join();
                            read.incrementAndGet();
                        }
                    } finally {
                        end.countDown();
                    }
                });
            }
            end.await(20, TimeUnit.SECONDS);
            assertEquals((long) THREADS * READS, read.get());
            recording.stop();
            Path file = folder.resolve("pinned.jfr");
            recording.dump(file);
            long pinned = RecordingFile.readAllEvents(file).stream()
                    .filter(each -> each.getEventType().getName().equals("jdk.VirtualThreadPinned")).count();
            assertEquals(0, pinned);
            Files.delete(file);
        }
    }
}
