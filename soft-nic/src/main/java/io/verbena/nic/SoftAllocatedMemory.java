package io.verbena.nic;

import io.verbena.nic.direct.Fabric;
import io.verbena.verbs.AllocatedMemory;
import io.verbena.verbs.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.ReentrantLock;

/** Memory whose life the NIC controls: it can't go away while a region covers it, so raw addresses are safe. */
final class SoftAllocatedMemory implements AllocatedMemory {
    private final SoftContext context;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment segment;
    private int regions;
    private boolean closed;

    SoftAllocatedMemory(SoftContext context, long bytes, long alignment) {
        this.context = context;
        segment = arena.allocate(bytes, alignment);
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
            context.nic().allocations().remove(this);
            context.childClosed(this);
        } finally {
            lock.unlock();
        }
    }
}
