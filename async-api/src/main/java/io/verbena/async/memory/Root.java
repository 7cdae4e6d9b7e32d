package io.verbena.async.memory;

import java.lang.foreign.MemorySegment;

/**
 * One allocation or registration as a whole: what its slices share. Closing it revokes what peers were given of it, and
 * gives it back when nothing uses it any more.
 */
public abstract class Root extends Loans {
    private final MemorySegment segment;
    private final int access;
    private final Grants grants;
    /** What peers may reach of it; changed under the lock of {@link #grants}. */
    volatile Grant firstGrant;

    Root(MemorySegment segment, int access, Grants grants) {
        super(access, grants.isAlone());
        this.segment = segment;
        this.access = access;
        this.grants = grants;
    }

    /**
     * The key for operations of its owner.
     *
     * @return 32 bits
     */
    public abstract int lkey();

    /**
     * All of its bytes.
     *
     * @return a native segment; after the memory was given back its bytes may be somebody else's
     */
    public final MemorySegment segment() {
        return segment;
    }

    /**
     * What its owner allows.
     *
     * @return bits of {@link io.verbena.verbs.Access}
     */
    public final int access() {
        return access;
    }

    /**
     * Where exposures of it are made.
     *
     * @return those of the node
     */
    public final Grants grants() {
        return grants;
    }

    /**
     * Closes it: no new operation or exposure, exposures revoked when this returns, given back with the last operation.
     *
     * @return false when it was closed before
     */
    public final boolean shut() {
        boolean first = close();
        // Even when another thread closed it: the exposures are gone when this returns.
        if (firstGrant != null) {
            grants.revokeAll(this);
        }
        return first;
    }
}
