package io.verbena.nic.os;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Files that this process has mapped and locked. A lock of the system's ends as soon as its process closes any
 * descriptor of the file, so whoever looks at such a file in this process looks at the mapping instead. By any thread.
 */
public final class OwnFiles {
    private static final Map<Object, MemorySegment> MAPPINGS = new ConcurrentHashMap<>();

    private OwnFiles() {}

    /**
     * Notes a file that is locked from now on.
     *
     * @param file which
     * @param mapping all of it
     * @throws IOException when it can't be looked at
     */
    public static void add(Path file, MemorySegment mapping) throws IOException {
        Object key = key(file);
        if (key != null) {
            MAPPINGS.put(key, mapping);
        }
    }

    /**
     * Looks for a file, under whichever name.
     *
     * @param file which
     * @return its mapping; null when it is not one of these
     */
    public static MemorySegment mapping(Path file) {
        try {
            Object key = key(file);
            return key == null ? null : MAPPINGS.get(key);
        } catch (IOException e) {
            return null; // whoever opens it sees why
        }
    }

    /** Forgets a mapping whose file is about to be closed. */
    public static void remove(MemorySegment mapping) {
        MAPPINGS.values().removeIf(each -> each == mapping);
    }

    /** What two names of one file have in common; null where the system has nothing of that kind. */
    private static Object key(Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    }
}
