package io.verbena;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * What a process has in use.
 *
 * @param heapBytes after a collection
 * @param directBytes memory of all arenas and buffers
 * @param descriptors open files, on Linux
 * @param threads platform threads
 */
record Footing(long heapBytes, long directBytes, long descriptors, long threads) {
    private static final int COLLECTIONS = 3;
    /** What comes and goes with timers, pools and libraries, not with connections or operations. */
    private static final int DESCRIPTORS_SLACK = 10;
    private static final int THREADS_SLACK = 8;

    static Footing now() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
            Runtime runtime = Runtime.getRuntime();
            least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
        }
        long direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(each -> each.getName().equals("direct")).findFirst().orElseThrow().getMemoryUsed();
        return new Footing(
                least, direct, count("/proc/self/fd"), ManagementFactory.getThreadMXBean().getThreadCount());
    }

    private static long count(String folder) {
        Path path = Path.of(folder);
        if (!Files.isDirectory(path)) {
            return 0;
        }
        try (Stream<Path> all = Files.list(path)) {
            return all.count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until no more is in use than before, but for so many bytes on and beside the heap. */
    static void await(Footing before, long bytes) {
        Footing[] now = {before};
        Waiting.until(() -> before + " has become " + now[0], () -> {
            now[0] = now();
            return now[0].heapBytes <= before.heapBytes + bytes && now[0].directBytes <= before.directBytes + bytes
                    && now[0].descriptors <= before.descriptors + DESCRIPTORS_SLACK
                    && now[0].threads <= before.threads + THREADS_SLACK;
        });
    }
}
