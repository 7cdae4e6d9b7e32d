package io.verbena.verbs;

/**
 * One entry of a port's GID table (ibv_query_gid_ex(3)).
 *
 * @param gid the identifier
 * @param index its index in the table, used as sgidIndex
 * @param port the port, from 1
 * @param type how packets with it look
 * @param interfaceName the network interface behind it; empty when there is none
 */
public record GidEntry(Gid gid, int index, int port, Type type, String interfaceName) {
    /** Packet formats of GIDs, with the numbers of libibverbs. */
    public enum Type {
        /** InfiniBand. */
        IB,
        /** RoCE version 1: Ethernet only. */
        ROCE_V1,
        /** RoCE version 2: UDP port 4791. */
        ROCE_V2
    }
}
