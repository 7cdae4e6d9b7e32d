package io.verbena.async.memory;

import io.verbena.verbs.Access;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** All memory of a node: its pool, what its user registered, and what peers may reach. Safe from any thread. */
public final class NodeMemory implements AutoCloseable {
    private final ProtectionDomain domain;
    private final Housekeeper housekeeper = new Housekeeper("verbena-housekeeper");
    private final Grants grants;
    private final SlabPool pool;
    /** Keeps registrations that nobody closed, and so the memory under them. */
    private final Set<UserBlock> registered = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /**
     * Makes one without a slab.
     *
     * @param domain where everything is registered
     * @param slabBytes size of a slab, a multiple of 4096
     * @param maxBytes all slabs together
     * @param reserveSlabs how many empty slabs are kept
     * @param alone whether one thread at a time lends the memory to operations
     */
    public NodeMemory(ProtectionDomain domain, long slabBytes, long maxBytes, int reserveSlabs, boolean alone) {
        this.domain = domain;
        grants = new Grants(domain, housekeeper, alone);
        pool = new SlabPool(domain, slabBytes, maxBytes, reserveSlabs, grants, housekeeper);
    }

    /**
     * Allocates memory, whose bytes are what they were.
     *
     * @param length bytes, 1 or more
     * @param alignment a power of two, 1 to 4096
     * @param access what its owner allows
     * @return the memory, or null when the bound does not leave so much
     */
    public Root allocate(long length, int alignment, int access) {
        requireOpen();
        return pool.allocate(length, alignment, access);
    }

    /**
     * Registers the user's memory, for operations of its own alone; peers reach it by {@link Grants}.
     *
     * @param segment native, of no confined arena
     * @param access what the user allows; hints are passed on to the device
     * @return the memory
     * @throws io.verbena.verbs.VerbsException when the device refuses it
     */
    public Root register(MemorySegment segment, int access) {
        requireOpen();
        MemoryRegion region = domain.register(segment, access & ~Grants.REMOTE);
        UserBlock block = new UserBlock(this, region, access);
        registered.add(block);
        return block;
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the memory pool is closed, as its node is; open another node");
        }
    }

    void forget(UserBlock block) {
        registered.remove(block);
    }

    void soon(Runnable task) {
        housekeeper.soon(task);
    }

    /**
     * Everything peers may reach.
     *
     * @return those of this node
     */
    public Grants grants() {
        return grants;
    }

    /** Gives back every slab without a block in use. */
    public void trim() {
        pool.trim();
    }

    /**
     * What the pool counts.
     *
     * @return figures put together while others go on
     */
    public PoolCounts counts() {
        return pool.counts();
    }

    /**
     * How many segments of the user are registered.
     *
     * @return registrations not closed, or closed with operations in flight
     */
    public int registrations() {
        return registered.size();
    }

    /**
     * Revokes, deregisters and frees everything, whatever is open. No operation may be in flight any more; memory still
     * held by anybody can't be accessed afterwards.
     */
    @Override
    public void close() {
        closed = true;
        grants.close();
        housekeeper.close();
        List.copyOf(registered).forEach(UserBlock::deregister);
        pool.close();
    }

    /**
     * The rights that mean something here.
     *
     * @return bits of {@link Access}
     */
    public static int knownAccess() {
        return Access.LOCAL_WRITE | Grants.REMOTE | Access.HUGETLB | Access.OPTIONAL_RANGE;
    }
}
