package io.verbena.verbs;

/**
 * A memory window (struct ibv_mw): a revocable view of part of a region under a key of its own. Peers may do what the
 * window's rights allow, inside the window only, whatever rights the region grants under its own key. While a window is
 * bound, its region can be neither deregistered nor reregistered (EBUSY).
 *
 * <p>Once the completion of what unbinds a window is visible (LOCAL_INV, a bind of type 1, the receive of a
 * SEND_WITH_INV), or {@link #close()} has returned, nothing is read or written through its old key any more; later
 * accesses end in REM_ACCESS_ERR.
 */
public interface MemoryWindow extends AutoCloseable {
    /** How a window is bound, with the numbers of libibverbs. */
    enum Type {
        /**
         * By {@link MemoryWindow#bind}; the device picks the key. Every queue pair of the domain may serve it. Bound
         * again at any time, also to nothing.
         */
        TYPE_1,
        /**
         * By a BIND_MW work request ({@link SendRequests#bind}); the caller picks the low 8 bits of the key. Only the
         * peer of the queue pair that bound it may use it. It must be unbound before it is bound again: by LOCAL_INV on
         * the same queue pair, or by SEND_WITH_INV from its peer; closing that queue pair unbinds it too. Taking it to
         * RESET does not: whoever it is connected to next may use the key.
         */
        TYPE_2
    }

    /**
     * The window's type.
     *
     * @return never null
     */
    Type type();

    /**
     * The domain this window belongs to.
     *
     * @return never null
     */
    ProtectionDomain protectionDomain();

    /**
     * The key that peers present: for type 1 that of the newest {@link #bind}, whose completion tells when it opens
     * something; for type 2 the one under which the window is bound, or was last. Safe from any thread.
     *
     * @return 32 bits
     */
    int rkey();

    /**
     * The key that a BIND_MW with certain low 8 bits will give this window (ibv_inc_rkey(3) adds 1 to the last ones).
     *
     * @param choice the low 8 bits; higher ones are ignored
     * @return the window's own high 24 bits, which never change, and the low 8 bits given
     */
    default int rkey(int choice) {
        return rkey() & ~0xFF | choice & 0xFF;
    }

    /**
     * Posts a bind of a type 1 window (ibv_bind_mw(3)). When it is taken, {@link #rkey()} answers the new key at once;
     * it opens something once the bind has completed with {@link WcOpcode#BIND_MW}, and the old key nothing any more.
     * What the device finds wrong when it executes the bind completes with {@link WcStatus#MW_BIND_ERR}. Threads as for
     * posting on the queue pair; a window is bound by one thread at a time.
     *
     * @param queuePair where it is posted, of the window's domain
     * @param wrId comes back in the completion
     * @param region with {@link Access#MW_BIND} and without {@link Access#ZERO_BASED}; may be null when length is 0
     * @param address first byte, as the region's iova counts
     * @param length bytes; 0 unbinds
     * @param access some of REMOTE_WRITE, REMOTE_READ and REMOTE_ATOMIC (the first and the last need LOCAL_WRITE on the
     *     region), FLUSH_GLOBAL, FLUSH_PERSISTENT
     * @param flags bits of {@link SendFlags}, without INLINE
     * @return a code of {@link PostStatus}
     */
    int bind(QueuePair queuePair, long wrId, MemoryRegion region, long address, long length, int access, int flags);

    /** Unbinds and frees the window (ibv_dealloc_mw(3)), waiting for accesses in flight; closing twice does nothing. */
    @Override
    void close();
}
