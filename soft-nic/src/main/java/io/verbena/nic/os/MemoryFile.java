package io.verbena.nic.os;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Memory that can be handed to another process: a memfd (memfd_create(2)), sealed against every change of its size, so
 * that nobody who maps it can be made to fault. Its descriptor is needed only to hand it over or to map it; mappings
 * live on without it.
 */
public final class MemoryFile implements AutoCloseable {
    private static final int CLOSE_ON_EXEC = 1;
    private static final int ALLOW_SEALING = 1 << 1;
    private static final int HUGE_PAGES = 1 << 2;
    private static final int ADD_SEALS = 1033;
    private static final int GET_SEALS = 1034;
    private static final int NO_MORE_SEALS = 1;
    private static final int NO_SHRINKING = 1 << 1;
    private static final int NO_GROWING = 1 << 2;
    private static final int NO_NEW_WRITERS = 1 << 4;
    private static final int SEEK_END = 2;
    private static final int READ = 1;
    private static final int WRITE = 1 << 1;
    private static final int SHARED = 1;
    private static final int PRIVATE = 1 << 1;
    private static final int FIXED = 1 << 4;
    private static final int PUNCH_HOLE = 1 | 1 << 1;
    private static final long PAGE_BYTES = 4096;
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
    private static final long HUGE_PAGE_BYTES = 2L << 20;

    private final int descriptor;
    private final long bytes;
    private boolean closed;

    private MemoryFile(int descriptor, long bytes) {
        this.descriptor = descriptor;
        this.bytes = bytes;
    }

    /**
     * Makes memory, zeroed; with huge pages when the system has enough of them and the size fits.
     *
     * @param name shown by the system, such as in /proc/PID/maps; up to 249 bytes
     * @param bytes its size, 1 or more
     * @return memory that takes up room when it is touched, as any other
     * @throws OsException when there is not enough memory, or no descriptor
     */
    public static MemoryFile create(String name, long bytes) throws OsException {
        refuseMoreThanThereIs(bytes);
        if (bytes % HUGE_PAGE_BYTES == 0) {
            try {
                return create(name, bytes, HUGE_PAGES);
            } catch (OsException e) {
                // None set aside, or too few: ordinary pages do.
            }
        }
        return create(name, bytes, 0);
    }

    /**
     * Makes memory of which only a part will ever be touched, zeroed; of ordinary pages.
     *
     * @param name shown by the system; up to 249 bytes
     * @param bytes its size, 1 or more; may be more than there is
     * @return memory that takes up room when it is touched
     * @throws OsException when there is no descriptor left
     */
    public static MemoryFile createSparse(String name, long bytes) throws OsException {
        return create(name, bytes, 0);
    }

    /** The system would promise any amount of memory, and end processes when it is asked to keep its promise. */
    private static void refuseMoreThanThereIs(long bytes) throws OsException {
        long kibibytes;
        try (Stream<String> lines = Files.lines(Path.of("/proc/meminfo"))) {
            kibibytes = lines.filter(line -> line.startsWith("MemTotal:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", ""))).findFirst().orElse(Long.MAX_VALUE);
        } catch (IOException | UncheckedIOException e) {
            return;
        }
        if (bytes / 1024 > kibibytes) {
            throw new OsException("memfd_create", OsException.ENOMEM);
        }
    }

    private static MemoryFile create(String name, long bytes, int flags) throws OsException {
        int descriptor;
        try (Arena arena = Arena.ofConfined()) {
            descriptor = (int) Libc.MEMFD_CREATE.call(
                    arena.allocateFrom(name), CLOSE_ON_EXEC | ALLOW_SEALING | flags);
        }
        MemoryFile file = new MemoryFile(descriptor, bytes);
        try {
            Libc.FTRUNCATE.call(descriptor, bytes);
            if (flags == HUGE_PAGES) {
                // Huge pages are set aside or not there; ordinary ones come when they are touched, as of any memory.
                Libc.FALLOCATE.call(descriptor, 0, 0L, bytes);
            }
            Libc.FCNTL.call(descriptor, ADD_SEALS, NO_SHRINKING | NO_GROWING);
            return file;
        } catch (OsException e) {
            file.close();
            throw e;
        }
    }

    /**
     * Takes over memory that another process handed over.
     *
     * @param descriptor as received; closed here when the memory is refused
     * @param bytes the size it must have
     * @return the memory
     * @throws IOException when it is no sealed memory, or of another size: what is left over could not be unmapped
     */
    public static MemoryFile received(int descriptor, long bytes) throws IOException {
        try {
            long seals = Libc.FCNTL.call(descriptor, GET_SEALS, 0);
            if ((seals & NO_SHRINKING) == 0) {
                throw new IOException(
                        "the peer handed over memory that may shrink; it must be a memfd with F_SEAL_SHRINK");
            }
            long size = Libc.LSEEK.call(descriptor, 0L, SEEK_END);
            if (bytes < 1 || size != bytes) {
                throw new IOException("the peer handed over " + size + " bytes of memory and said " + bytes);
            }
            return new MemoryFile(descriptor, bytes);
        } catch (IOException e) {
            closeQuietly(descriptor);
            throw e;
        }
    }

    /**
     * Maps the memory.
     *
     * @param writable whether it may be written to through this mapping
     * @param arena when closed, the memory is unmapped
     * @return all of it
     * @throws OsException when the system does not allow it
     */
    public MemorySegment map(boolean writable, Arena arena) throws OsException {
        long address = Libc.MMAP.call(0L, bytes, writable ? READ | WRITE : READ, SHARED, descriptor, 0L);
        Pages.preferHuge(address, bytes);
        MemorySegment mapped = MemorySegment.ofAddress(address).reinterpret(bytes, arena, MemoryFile::unmap);
        return writable ? mapped : mapped.asReadOnly();
    }

    /**
     * Gives a mapping pages of its own, at the same addresses and with the same contents: what others write to the
     * memory from now on does not reach it. Threads of this process may read and write it meanwhile, nothing of theirs
     * is lost. What others wrote before this call is kept; what they write during the call may be.
     *
     * @param mapped all of a writable mapping
     * @param kept whether the memory keeps its contents too; else it holds nothing but what others still write
     * @throws OsException when there is no memory for it: nothing has changed
     */
    public void separate(MemorySegment mapped, boolean kept) throws OsException {
        // The system swaps the mapping under every thread at once: a store is in the memory before, or copies its page.
        Libc.MMAP.call(mapped.address(), bytes, READ | WRITE, PRIVATE | FIXED, descriptor, 0L);
        for (long start = 0; start < bytes; start += HUGE_PAGE_BYTES) {
            long end = Math.min(bytes, start + HUGE_PAGE_BYTES);
            for (long page = start; page < end; page += PAGE_BYTES) {
                touch(mapped.address() + page);
            }
            if (!kept) {
                release(start, end - start);
            }
        }
    }

    /** Has the system copy a page, by a write that changes nothing and loses nothing of anybody's. */
    private static void touch(long page) {
        // A mapping goes on to the end of its last page, whatever its length in bytes.
        MemorySegment word = MemorySegment.ofAddress(page).reinterpret(Long.BYTES);
        long ignored = (long) WORD.getAndAdd(word, 0L, 0L);
    }

    /** The copies are there: who still maps the memory itself need not keep it twice. */
    private void release(long start, long length) {
        try {
            Libc.FALLOCATE.call(descriptor, PUNCH_HOLE, start, length);
        } catch (OsException e) {
            // It stays until nobody maps it any more.
        }
    }

    private static void unmap(MemorySegment mapped) {
        try {
            Libc.MUNMAP.call(mapped.address(), mapped.byteSize());
        } catch (OsException e) {
            // Pages of a size that the length does not fill: the mapping stays.
            System.getLogger("io.verbena.nic").log(System.Logger.Level.WARNING, "memory stays mapped", e);
        }
    }

    /**
     * Makes the memory readable only for everybody who maps it from now on; mappings there are stay writable.
     *
     * @throws OsException when the kernel is older than 5.1
     */
    public void sealAgainstNewWriters() throws OsException {
        Libc.FCNTL.call(descriptor, ADD_SEALS, NO_NEW_WRITERS | NO_MORE_SEALS);
    }

    /**
     * Its size.
     *
     * @return bytes, 1 or more
     */
    public long bytes() {
        return bytes;
    }

    /**
     * What to hand over.
     *
     * @return an open descriptor until this is closed
     */
    public int descriptor() {
        return descriptor;
    }

    /** Closes the descriptor; mappings stay. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            closeQuietly(descriptor);
        }
    }

    static void closeQuietly(int descriptor) {
        try {
            Libc.CLOSE.call(descriptor);
        } catch (OsException e) {
            // Linux has closed it even so.
        }
    }
}
