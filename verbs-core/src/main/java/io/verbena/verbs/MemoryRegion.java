package io.verbena.verbs;

import java.lang.foreign.MemorySegment;

/**
 * Registered memory (struct ibv_mr). Its keys are unpredictable and differ from each other. Control calls are safe
 * from any thread.
 */
public interface MemoryRegion extends AutoCloseable {
    /** Flag of {@link #reregister}: new memory (IBV_REREG_MR_CHANGE_TRANSLATION). */
    int CHANGE_TRANSLATION = 1;
    /** Flag of {@link #reregister}: new protection domain (IBV_REREG_MR_CHANGE_PD). */
    int CHANGE_PD = 2;
    /** Flag of {@link #reregister}: new rights (IBV_REREG_MR_CHANGE_ACCESS). */
    int CHANGE_ACCESS = 4;

    /**
     * The domain this region belongs to.
     *
     * @return never null
     */
    ProtectionDomain protectionDomain();

    /**
     * The registered memory.
     *
     * @return the segment given at registration
     */
    MemorySegment segment();

    /**
     * What work requests call the first byte: its iova, by default its true address.
     *
     * @return an address for scatter/gather entries and for peers
     */
    long address();

    /**
     * Bytes registered.
     *
     * @return 1 or more
     */
    long length();

    /**
     * The rights granted.
     *
     * @return bits of {@link Access}
     */
    int access();

    /**
     * Key for local scatter/gather entries.
     *
     * @return 32 bits, never 0
     */
    int lkey();

    /**
     * Key that peers present.
     *
     * @return 32 bits, never 0; it opens nothing when no remote right was granted
     */
    int rkey();

    /**
     * Changes a region (ibv_rereg_mr(3)). Waits for accesses in flight; afterwards the old memory, domain or rights
     * are no longer used. Keys stay the same. All or nothing: after an exception the region is as before.
     *
     * @param flags some of {@link #CHANGE_TRANSLATION}, {@link #CHANGE_PD}, {@link #CHANGE_ACCESS}
     * @param domain the new domain; ignored without CHANGE_PD
     * @param segment the new memory, under its own addresses; ignored without CHANGE_TRANSLATION
     * @param access the new rights; ignored without CHANGE_ACCESS
     * @throws VerbsException EINVAL for flags or values that are not allowed, EBUSY while a window is bound
     */
    void reregister(int flags, ProtectionDomain domain, MemorySegment segment, int access);

    /**
     * Deregisters the region (ibv_dereg_mr(3)): revokes both keys, waits for accesses in flight, then returns; after
     * that no byte of the memory is touched. Later accesses end in protection errors. Closing twice does nothing.
     *
     * @throws VerbsException EBUSY while a memory window is bound to it
     */
    @Override
    void close();
}
