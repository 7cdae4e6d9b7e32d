package io.verbena.nic.counters;

import io.verbena.nic.os.OwnFiles;
import io.verbena.nic.stat.CounterFileLayout;
import io.verbena.nic.stat.CounterOwner;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Collections;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The memory that a NIC counts in: a mapped file, or private memory of the same layout. The file is mapped whole and
 * sparse; {@link #reserve} makes the file system give room before anything is written there, since a write to a mapped
 * page without room ends in an error in the middle of the data path. The mapping lasts while it can be reached.
 */
final class CounterMemory {
    private static final Set<Path> LEFT_AT_EXIT = ConcurrentHashMap.newKeySet();
    private static final long FILE_BYTES = CounterFileLayout.RECORDS
            + (long) CounterFileLayout.RECORD_LIMIT * CounterFileLayout.RECORD_BYTES;
    private static final FileAttribute<?>[] NONE = {};
    private static final Set<PosixFilePermission> OTHERS_WRITE =
            Set.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);
    private static boolean hooked;

    private final MemorySegment memory;
    private final Path file;
    private final FileChannel channel;
    private boolean full;

    private CounterMemory(MemorySegment memory, Path file, FileChannel channel) {
        this.memory = memory;
        this.file = file;
        this.channel = channel;
    }

    /** Memory of this process alone, without room for records. */
    static CounterMemory inPrivate() {
        return new CounterMemory(Arena.ofAuto().allocate(CounterFileLayout.RECORDS, CounterFileLayout.RECORD_BYTES),
                null, null);
    }

    /**
     * Makes a file, zeroed.
     *
     * @throws IOException when the system does not let it be made, mapped or locked
     */
    static CounterMemory inFile(Path directory, CounterOwner owner) throws IOException {
        prepare(directory);
        StaleFiles.remove(directory);
        Path file = directory.resolve(owner.fileName());
        FileChannel channel = FileChannel.open(file,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE),
                permissions(directory, "rw-------"));
        try {
            checkOwner(directory, file);
            if (!write(channel, 0, CounterFileLayout.RECORDS) || channel.tryLock(0, 1, false) == null) {
                throw new IOException("no room for " + CounterFileLayout.RECORDS + " bytes in " + directory);
            }
            MemorySegment mapping = channel.map(FileChannel.MapMode.READ_WRITE, 0, FILE_BYTES, Arena.ofAuto());
            // Nobody should shorten the file by mistake: the process would lose the memory that it counts in.
            if (hasPermissions(directory)) {
                Files.setPosixFilePermissions(file, Set.of(PosixFilePermission.OWNER_READ));
            }
            OwnFiles.add(file, mapping);
            removeAtExit(file);
            return new CounterMemory(mapping, file, channel);
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            channel.close();
            Files.deleteIfExists(file);
            throw e instanceof IOException io ? io : new IOException("can't map " + file + ": " + e.getMessage(), e);
        }
    }

    /** A folder that only this user may enter; one that somebody else has made there is not used. */
    private static void prepare(Path directory) throws IOException {
        if (!Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
            try {
                Files.createDirectory(directory, permissions(directory.toAbsolutePath().getParent(), "rwx------"));
            } catch (FileAlreadyExistsException e) {
                // Another process was faster; what it made is looked at below.
            }
        }
        if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException(directory + " is not a folder");
        }
    }

    /** In a folder of somebody else, or one that others may write to, files could be exchanged. */
    private static void checkOwner(Path directory, Path file) throws IOException {
        if (!hasPermissions(directory)) {
            return;
        }
        UserPrincipal owner = Files.getOwner(directory, LinkOption.NOFOLLOW_LINKS);
        if (!owner.equals(Files.getOwner(file, LinkOption.NOFOLLOW_LINKS))) {
            throw new IOException(directory + " belongs to " + owner.getName());
        }
        if (!Collections.disjoint(Files.getPosixFilePermissions(directory, LinkOption.NOFOLLOW_LINKS), OTHERS_WRITE)) {
            throw new IOException(directory + " may be written by others than " + owner.getName());
        }
    }

    private static boolean hasPermissions(Path where) throws IOException {
        return Files.getFileStore(where).supportsFileAttributeView("posix");
    }

    private static FileAttribute<?>[] permissions(Path where, String text) throws IOException {
        return hasPermissions(where)
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(text))}
                : NONE;
    }

    private static void removeAtExit(Path file) {
        synchronized (LEFT_AT_EXIT) {
            LEFT_AT_EXIT.add(file);
            try {
                if (!hooked) {
                    Runtime.getRuntime().addShutdownHook(new Thread(CounterMemory::removeAll, "verbena-counters"));
                    hooked = true;
                }
            } catch (IllegalStateException e) {
                // The process is ending; the next one that starts removes the file.
            }
        }
    }

    private static void removeAll() {
        LEFT_AT_EXIT.forEach(CounterMemory::delete);
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            // Nothing depends on it; the next process that starts removes it.
        }
    }

    private static boolean write(FileChannel channel, long from, long bytes) {
        try {
            ByteBuffer zeros = ByteBuffer.allocate((int) bytes);
            while (zeros.hasRemaining()) {
                channel.write(zeros, from + zeros.position());
            }
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Makes room in the file; false in private memory, and once there was none. */
    boolean reserve(long from, long bytes) {
        full |= channel == null || !write(channel, from, bytes);
        return !full;
    }

    MemorySegment memory() {
        return memory;
    }

    /** The file, or null. */
    Path file() {
        return file;
    }

    /** Removes the file; its memory stays. */
    void close() {
        if (file != null) {
            delete(file);
            LEFT_AT_EXIT.remove(file);
            OwnFiles.remove(memory);
            try {
                channel.close();
            } catch (IOException e) {
                // Nothing was left to be written.
            }
        }
    }
}
