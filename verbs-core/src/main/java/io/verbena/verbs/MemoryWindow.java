package io.verbena.verbs;

/** A memory window (struct ibv_mw): a revocable view of part of a region under a key of its own. */
public interface MemoryWindow extends AutoCloseable {
    /** How a window is bound, with the numbers of libibverbs. */
    enum Type {
        /** By ibv_bind_mw(3); the device picks the key. */
        TYPE_1,
        /** By a BIND_MW work request; the caller picks the low 8 bits of the key. */
        TYPE_2
    }

    /**
     * The window's type.
     *
     * @return never null
     */
    Type type();

    /**
     * The key that peers present while the window is bound.
     *
     * @return 32 bits
     */
    int rkey();

    /** Unbinds and frees the window (ibv_dealloc_mw(3)); closing twice does nothing. */
    @Override
    void close();
}
