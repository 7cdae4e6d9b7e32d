package io.verbena.nic.stat;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Finds and reads the counter files of this user's processes. Changes nothing. */
public final class CounterFiles {
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");

    private CounterFiles() {}

    /**
     * Where software NICs put their counter files unless told otherwise ({@code soft?countersDir=...}).
     *
     * @return {@code /dev/shm/verbena-UID}; where there is no /dev/shm, that folder in {@code java.io.tmpdir}
     */
    public static Path defaultDirectory() {
        Path parent = Files.isDirectory(SHARED_MEMORY) ? SHARED_MEMORY : Path.of(System.getProperty("java.io.tmpdir"));
        return parent.resolve("verbena-" + user());
    }

    private static String user() {
        try {
            return Files.getAttribute(Path.of("/proc/self"), "unix:uid").toString();
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return System.getProperty("user.name", "unknown").replaceAll("[^A-Za-z0-9._-]", "_");
        }
    }

    /**
     * The counter files in a folder, those of dead processes included; in the order of device, pid and start.
     *
     * @param directory the folder
     * @return paths of files named as {@link CounterOwner#fileName}; none when there is no such folder
     * @throws IOException when the folder can't be read
     */
    public static List<Path> list(Path directory) throws IOException {
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
                // Nothing but a file: to open a pipe or to follow a link is to wait for, or to read, something else.
                if (CounterOwner.of(entry).isPresent() && Files.isRegularFile(entry, LinkOption.NOFOLLOW_LINKS)) {
                    files.add(entry);
                }
            }
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        files.sort(null);
        return files;
    }

    /**
     * Reads a counter file. Nothing in it is trusted.
     *
     * @param file one of {@link #list}
     * @return what it says now
     * @throws CounterFileException when it can't be read or is no counter file of this version
     */
    public static CounterSnapshot read(Path file) throws CounterFileException {
        return new CounterFileReader(file).read();
    }
}
