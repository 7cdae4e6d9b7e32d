package io.verbena.verbs;

/**
 * What a port is (struct ibv_port_attr). Immutable snapshot.
 *
 * @param state logical state
 * @param maxMtu largest MTU the port can do
 * @param activeMtu MTU in use, the largest path MTU allowed
 * @param gidTableLength entries in the GID table, filled or not
 * @param pkeyTableLength entries in the partition key table
 * @param maxMessageBytes longest message: 2^31
 * @param linkLayer what is below
 */
public record PortAttributes(
        State state,
        Mtu maxMtu,
        Mtu activeMtu,
        int gidTableLength,
        int pkeyTableLength,
        long maxMessageBytes,
        LinkLayer linkLayer) {
    /** Logical port states; the ordinal is the number of libibverbs. */
    public enum State {
        /** Not known. */
        NOP,
        /** No link. */
        DOWN,
        /** Coming up. */
        INIT,
        /** Ready but not in use. */
        ARMED,
        /** In use. */
        ACTIVE
    }

    /** What is below a port; the ordinal is the number of libibverbs. */
    public enum LinkLayer {
        /** Not known. */
        UNSPECIFIED,
        /** InfiniBand. */
        INFINIBAND,
        /** Ethernet: RoCE. */
        ETHERNET
    }
}
