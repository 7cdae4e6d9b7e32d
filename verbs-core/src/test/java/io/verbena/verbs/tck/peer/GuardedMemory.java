package io.verbena.verbs.tck.peer;

import io.verbena.verbs.AllocatedMemory;
import io.verbena.verbs.Context;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Memory for registration between two stretches of guard bytes, which must never change. */
public final class GuardedMemory implements AutoCloseable {
    private static final long GUARD_BYTES = 64;
    private static final byte GUARD = 0x5C;
    private static final Map<Long, Queue<MemorySegment>> GLOBAL_POOL = new ConcurrentHashMap<>();

    private final MemoryKind kind;
    private final long bytes;
    private final MemorySegment whole;
    private final Arena arena;
    private final AllocatedMemory device;
    private boolean closed;

    /**
     * Allocates zeroed memory.
     *
     * @param context used for device memory
     * @param bytes without the guards
     * @param kind where from
     */
    public GuardedMemory(Context context, long bytes, MemoryKind kind) {
        this.kind = kind;
        this.bytes = bytes;
        long all = bytes + 2 * GUARD_BYTES;
        arena = kind == MemoryKind.SHARED || kind == MemoryKind.SPARSE_FILE ? Arena.ofShared() : null;
        device = kind == MemoryKind.DEVICE ? context.allocateMemory(all, 64) : null;
        whole = switch (kind) {
            case DEVICE -> device.segment();
            case SHARED -> arena.allocate(all, 64);
            case AUTO -> Arena.ofAuto().allocate(all, 64);
            case GLOBAL -> fromPool(all);
            case SPARSE_FILE -> mapSparse(all, arena);
        };
        guard(0).fill(GUARD);
        guard(GUARD_BYTES + bytes).fill(GUARD);
    }

    private static MemorySegment fromPool(long bytes) {
        MemorySegment used = GLOBAL_POOL.computeIfAbsent(bytes, size -> new ConcurrentLinkedQueue<>()).poll();
        return used == null ? Arena.global().allocate(bytes, 64) : used.fill((byte) 0);
    }

    private static MemorySegment mapSparse(long bytes, Arena arena) {
        try {
            Path file = Files.createTempFile("verbena-tck", ".sparse");
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                return channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes, arena);
            } finally {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private MemorySegment guard(long offset) {
        return whole.asSlice(offset, GUARD_BYTES);
    }

    /**
     * The memory between the guards.
     *
     * @return aligned to 64 bytes
     */
    public MemorySegment segment() {
        return whole.asSlice(GUARD_BYTES, bytes);
    }

    /**
     * The memory with its guards, for cases about accesses beside a region.
     *
     * @return all of it
     */
    public MemorySegment whole() {
        return whole;
    }

    /**
     * Checks the guards.
     *
     * @throws AssertionError when one has changed
     */
    public void checkGuards() {
        for (long start : new long[] {0, GUARD_BYTES + bytes}) {
            for (long at = start; at < start + GUARD_BYTES; at++) {
                byte found = whole.get(ValueLayout.JAVA_BYTE, at);
                if (found != GUARD) {
                    throw new AssertionError("guard byte at offset " + (at - GUARD_BYTES) + " of " + bytes
                            + " bytes of " + kind + " memory is " + found + " instead of " + GUARD);
                }
            }
        }
    }

    /** Checks the guards and gives the memory back; a shared arena is closed even while it is registered. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        checkGuards();
        if (device != null) {
            device.close();
        } else if (arena != null) {
            arena.close();
        } else if (kind == MemoryKind.GLOBAL) {
            GLOBAL_POOL.get(whole.byteSize()).add(whole);
        }
        closed = true;
    }
}
