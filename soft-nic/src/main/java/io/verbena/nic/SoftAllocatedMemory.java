package io.verbena.nic;

import io.verbena.nic.direct.Fabric;
import io.verbena.nic.shm.Neighbourhood;
import io.verbena.nic.shm.SharedPages;
import io.verbena.verbs.AllocatedMemory;
import io.verbena.verbs.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.ReentrantLock;

/** Memory whose life the NIC controls: it can't go away while a region covers it, so raw addresses are safe. */
final class SoftAllocatedMemory implements AllocatedMemory {
    private static final long PAGE_BYTES = 4_096;

    private final SoftContext context;
    private final Arena arena = Arena.ofShared();
    /** What other processes map; null when nobody can. */
    private final SharedPages pages;
    private final MemorySegment segment;
    private long startInFile;
    private int regions;
    private boolean closed;

    SoftAllocatedMemory(SoftContext context, long bytes, long alignment) {
        this.context = context;
        pages = context.nic().neighbourhood() == null
                ? null : SharedMemory.allocate(sizeFor(bytes, alignment), arena);
        segment = pages == null ? arena.allocate(bytes, alignment) : align(pages.memory(), bytes, alignment);
    }

    /** Room to align in: mappings start at a page. */
    private static long sizeFor(long bytes, long alignment) {
        return alignment <= PAGE_BYTES ? bytes : Math.addExact(bytes, alignment);
    }

    private MemorySegment align(MemorySegment all, long bytes, long alignment) {
        startInFile = -all.address() & alignment - 1;
        return all.asSlice(startInFile, bytes);
    }

    /** Where a part of it lies for other processes; null when they can't map it. */
    Neighbourhood.Share share(MemorySegment part) {
        if (pages == null || !pages.isShared()) {
            return null;
        }
        return new Neighbourhood.Share(pages, startInFile + part.address() - segment.address(), part.byteSize());
    }

    boolean contains(MemorySegment part) {
        return segment.scope().equals(part.scope())
                && part.address() - segment.address() <= segment.byteSize() - part.byteSize();
    }

    void regionAdded() {
        regions++;
    }

    void regionRemoved() {
        regions--;
    }

    @Override
    public MemorySegment segment() {
        return segment;
    }

    @Override
    public String toString() {
        return "memory of " + segment.byteSize() + " bytes at 0x" + Long.toHexString(segment.address());
    }

    @Override
    public void close() {
        ReentrantLock lock = Fabric.LOCAL.controlLock();
        lock.lock();
        try {
            while (pages != null && pages.isSeparating()) {
                Fabric.LOCAL.awaitTurn();
            }
            if (closed) {
                return;
            }
            if (regions > 0) {
                throw VerbsException.busy("allocated memory", regions + " memory region(s)");
            }
            try {
                arena.close();
            } catch (IllegalStateException e) {
                throw VerbsException.busy("allocated memory", "an input or output operation on its segment");
            }
            closed = true;
            if (pages != null) {
                pages.close();
            }
            context.nic().allocations().remove(this);
            context.childClosed(this);
        } finally {
            lock.unlock();
        }
    }
}
