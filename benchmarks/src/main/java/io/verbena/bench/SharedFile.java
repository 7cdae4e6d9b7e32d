package io.verbena.bench;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Memory of two processes that meet to measure without verbs: a file that one of them makes and the other maps too,
 * whose name is removed as soon as both have it. Used by one thread until it is mapped.
 */
final class SharedFile {
    /** The memory of {@link BareMemory}. */
    static final SharedFile BARE = new SharedFile();
    /** The memory of {@link RingHalf}. */
    static final SharedFile RING = new SharedFile();

    private static final Path MEMORY = Path.of("/dev/shm");

    private Path path;
    private MemorySegment mapped;

    /** Makes it, or returns what was made before. */
    Path offer(long bytes) {
        if (path == null) {
            try {
                path = Files.isDirectory(MEMORY) ? Files.createTempFile(MEMORY, "verbena-perf-", "")
                        : Files.createTempFile("verbena-perf-", "");
                map(path, bytes);
            } catch (IOException e) {
                removeName();
                throw new PerfException("can't make memory to share: " + e.getMessage());
            }
        }
        return path;
    }

    /** Maps what the other process offers, unless that was done before. */
    void take(Path offered, long bytes) {
        if (offered.equals(path)) {
            return;
        }
        try {
            map(offered, bytes);
            path = offered;
        } catch (IOException e) {
            throw new PerfException("can't map the memory of the other process: " + e.getMessage());
        }
    }

    private void map(Path file, long bytes) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes, Arena.global());
        }
    }

    /** Removes the name; the memory stays. */
    void removeName() {
        try {
            if (path != null) {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            throw new PerfException("can't remove " + path + ": " + e.getMessage());
        }
    }

    /** The memory; null when no process shares any. */
    MemorySegment memory() {
        return mapped;
    }
}
