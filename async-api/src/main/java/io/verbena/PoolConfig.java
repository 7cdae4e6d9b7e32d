package io.verbena;

/**
 * Sizes of a memory pool. Immutable.
 *
 * @param slabBytes what is allocated and registered at once, a multiple of 4096, 1 MiB to 1 GiB; larger allocations
 *     get a slab of their own
 * @param maxBytes bound on all slabs together, at least slabBytes
 * @param reserveSlabs how many empty slabs are kept, 0 or more
 * @param leakCheck whether memory that is collected without close is reported, with the stack that allocated it
 */
public record PoolConfig(long slabBytes, long maxBytes, int reserveSlabs, boolean leakCheck) {
    /** 4 MiB slabs, 1 GiB at most, one empty slab kept; leaks are reported with {@code -Dio.verbena.leakCheck=true}. */
    public static final PoolConfig DEFAULT =
            new PoolConfig(4L << 20, 1L << 30, 1, Boolean.getBoolean("io.verbena.leakCheck"));

    private static final long PAGE_BYTES = 4_096;
    private static final long MIN_SLAB_BYTES = 1L << 20;
    private static final long MAX_SLAB_BYTES = 1L << 30;

    /** Checks every value. */
    public PoolConfig {
        if (slabBytes < MIN_SLAB_BYTES || slabBytes > MAX_SLAB_BYTES || slabBytes % PAGE_BYTES != 0) {
            throw new IllegalArgumentException("slabBytes is " + slabBytes + "; allowed: multiples of " + PAGE_BYTES
                    + " from " + MIN_SLAB_BYTES + " to " + MAX_SLAB_BYTES);
        }
        if (maxBytes < slabBytes) {
            throw new IllegalArgumentException("maxBytes is " + maxBytes + "; allowed: " + slabBytes
                    + " (one slab) or more");
        }
        if (reserveSlabs < 0) {
            throw new IllegalArgumentException("reserveSlabs is " + reserveSlabs + "; allowed: 0 or more");
        }
    }

    /**
     * The same with another slab size.
     *
     * @param bytes see {@link #slabBytes}
     * @return a new configuration
     */
    public PoolConfig withSlabBytes(long bytes) {
        return new PoolConfig(bytes, maxBytes, reserveSlabs, leakCheck);
    }

    /**
     * The same with another bound.
     *
     * @param bytes see {@link #maxBytes}
     * @return a new configuration
     */
    public PoolConfig withMaxBytes(long bytes) {
        return new PoolConfig(slabBytes, bytes, reserveSlabs, leakCheck);
    }

    /**
     * The same with another reserve.
     *
     * @param slabs see {@link #reserveSlabs}
     * @return a new configuration
     */
    public PoolConfig withReserveSlabs(int slabs) {
        return new PoolConfig(slabBytes, maxBytes, slabs, leakCheck);
    }

    /**
     * The same with or without the leak check.
     *
     * @param check see {@link #leakCheck}
     * @return a new configuration
     */
    public PoolConfig withLeakCheck(boolean check) {
        return new PoolConfig(slabBytes, maxBytes, reserveSlabs, check);
    }
}
