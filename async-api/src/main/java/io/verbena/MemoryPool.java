package io.verbena;

import io.verbena.async.memory.Grants;
import io.verbena.async.memory.LeakCheck;
import io.verbena.async.memory.NodeMemory;
import io.verbena.async.memory.PoolCounts;
import io.verbena.async.memory.Root;
import io.verbena.verbs.Access;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.VerbsException;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * Memory of a node that operations can use: allocated from slabs that are registered once, or the user's own,
 * registered. An allocation of a few bytes takes tens of nanoseconds and no lock. Safe from any thread. It lives as
 * long as its node, which frees what is left.
 */
public final class MemoryPool {
    private final NodeMemory memory;
    private final PoolConfig config;
    private final LeakCheck leakCheck;

    MemoryPool(ProtectionDomain domain, PoolConfig config) {
        this.config = config;
        memory = new NodeMemory(domain, config.slabBytes(), config.maxBytes(), config.reserveSlabs());
        leakCheck = config.leakCheck() ? new LeakCheck() : null;
    }

    /**
     * Allocates zeroed memory, aligned to 8 bytes, with all rights.
     *
     * @param length bytes, 1 or more
     * @return new memory; the caller closes it
     * @throws MemoryExhaustedException when the pool's bound does not leave so much, or the device has no more
     * @throws IllegalStateException when the node is closed
     */
    public LocalMemory allocate(long length) {
        return allocate(length, AllocationOptions.DEFAULT);
    }

    /**
     * Allocates memory.
     *
     * @param length bytes, 1 or more
     * @param options alignment, zeroed or not, rights
     * @return new memory; the caller closes it
     * @throws MemoryExhaustedException when the pool's bound does not leave so much, or the device has no more
     * @throws IllegalStateException when the node is closed
     */
    public LocalMemory allocate(long length, AllocationOptions options) {
        if (length < 1) {
            throw new IllegalArgumentException("length is " + length + "; allowed: 1 or more. For a message without"
                    + " bytes take slice(0, 0) of any memory, or send(new byte[0])");
        }
        Root root;
        try {
            root = memory.allocate(length, options.alignment(), options.access());
        } catch (VerbsException e) {
            throw exhausted(length, "the device has no more", e);
        }
        if (root == null) {
            throw exhausted(length, "the bound leaves no such piece; close memory, or raise PoolConfig.maxBytes", null);
        }
        if (options.zeroed()) {
            root.segment().fill((byte) 0);
        }
        return open(root);
    }

    private MemoryExhaustedException exhausted(long length, String why, Throwable cause) {
        PoolCounts counts = memory.counts();
        return new MemoryExhaustedException(length, counts.usedBytes(), config.maxBytes(),
                length + " bytes asked for; " + counts.usedBytes() + " are in use in slabs of " + counts.totalBytes()
                        + " bytes, at most " + config.maxBytes() + ": " + why, cause);
    }

    /**
     * Registers memory of the user's own. The registration keeps it from being collected; closing its arena before the
     * registration ends operations in errors.
     *
     * @param segment native, of an arena that every thread may use ({@code Arena.ofShared()}, {@code ofAuto()} or
     *     {@code global()}), 1 byte or more
     * @param access as {@link AllocationOptions#access}; besides, the hints HUGETLB and RELAXED_ORDERING
     * @return new memory; closing it ends the registration and leaves the segment
     * @throws VerbsException when the device refuses it: heap segments, confined arenas, read-only segments to be
     *     written
     * @throws IllegalStateException when the node is closed
     */
    public LocalMemory register(MemorySegment segment, int access) {
        Objects.requireNonNull(segment, "segment is null; allowed: a native memory segment");
        AllocationOptions.checkAccess(access, NodeMemory.knownAccess());
        return open(memory.register(segment, access));
    }

    /**
     * Registers memory of the user's own for everything that its segment allows.
     *
     * @param segment as in {@link #register(MemorySegment, int)}
     * @return new memory; closing it ends the registration and leaves the segment
     * @throws VerbsException when the device refuses it
     */
    public LocalMemory register(MemorySegment segment) {
        Objects.requireNonNull(segment, "segment is null; allowed: a native memory segment");
        return register(segment, segment.isReadOnly() ? Access.REMOTE_READ : AllocationOptions.DEFAULT.access());
    }

    private LocalMemory open(Root root) {
        LocalMemory opened = new LocalMemory(root);
        if (leakCheck != null) {
            opened.watch(leakCheck.watch(opened, "memory of " + root.segment().byteSize() + " bytes"));
        }
        return opened;
    }

    /**
     * What the pool counts.
     *
     * @return figures put together now
     */
    public MemoryStatistics statistics() {
        PoolCounts counts = memory.counts();
        return new MemoryStatistics(config.maxBytes(), counts.totalBytes(), counts.slabs(), counts.usedBlocks(),
                counts.usedBytes(), counts.allocations(), counts.failures());
    }

    /**
     * How many segments of the user are registered.
     *
     * @return registrations that are open, or closed with operations in flight
     */
    public int registrations() {
        return memory.registrations();
    }

    /**
     * How many ranges peers may reach.
     *
     * @return leases that have not ended
     */
    public int leases() {
        return memory.grants().count();
    }

    /**
     * How much was lost.
     *
     * @return pieces of memory collected without close; 0 while {@link PoolConfig#leakCheck} is off
     */
    public long leaks() {
        return leakCheck == null ? 0 : leakCheck.leaks();
    }

    /** What peers may reach, which tells the memory of one node from that of others. */
    Grants grants() {
        return memory.grants();
    }

    /** Watches what else of the node must be closed; null while the check is off. */
    LeakCheck leakCheck() {
        return leakCheck;
    }

    /** Gives every slab that is wholly free back to the device, the reserve too. May take a millisecond each. */
    public void trim() {
        memory.trim();
    }

    @Override
    public String toString() {
        MemoryStatistics now = statistics();
        return "memory pool, " + now.usedBytes() + " of " + now.totalBytes() + " bytes in use, at most "
                + now.maxBytes();
    }

    /** Revokes, deregisters and frees everything; no operation may be in flight. */
    void close() {
        memory.close();
    }
}
