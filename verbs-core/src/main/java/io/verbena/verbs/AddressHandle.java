package io.verbena.verbs;

/** The way to a UD peer (struct ibv_ah). Must outlive every work request that names it. */
public interface AddressHandle extends AutoCloseable {
    /**
     * The vector it was made from.
     *
     * @return never null
     */
    AddressVector vector();

    /** Frees the handle (ibv_destroy_ah(3)); closing twice does nothing. */
    @Override
    void close();
}
