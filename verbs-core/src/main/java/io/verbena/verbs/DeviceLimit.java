package io.verbena.verbs;

/** The numeric limits of a device (struct ibv_device_attr). */
public enum DeviceLimit {
    /** Largest region, in bytes. */
    MAX_MR_SIZE,
    /** Page sizes supported, as a bit mask of byte counts. */
    PAGE_SIZE_CAP,
    /** Queue pairs. */
    MAX_QP,
    /** Work requests outstanding in one queue. */
    MAX_QP_WR,
    /** Scatter/gather entries of one work request. */
    MAX_SGE,
    /** Scatter/gather entries of one RDMA READ. */
    MAX_SGE_RD,
    /** Completion queues. */
    MAX_CQ,
    /** Completions in one queue. */
    MAX_CQE,
    /** Memory regions. */
    MAX_MR,
    /** Protection domains. */
    MAX_PD,
    /** READs and atomics a queue pair may have outstanding as the target. */
    MAX_QP_RD_ATOM,
    /** READs and atomics the device may have outstanding as the target. */
    MAX_RES_RD_ATOM,
    /** READs and atomics a queue pair may have outstanding as the initiator. */
    MAX_QP_INIT_RD_ATOM,
    /** Memory windows. */
    MAX_MW,
    /** Multicast groups. */
    MAX_MCAST_GRP,
    /** Queue pairs in one multicast group. */
    MAX_MCAST_QP_ATTACH,
    /** Address handles. */
    MAX_AH,
    /** Shared receive queues. */
    MAX_SRQ,
    /** Work requests outstanding in one shared receive queue. */
    MAX_SRQ_WR,
    /** Scatter/gather entries of one receive in a shared receive queue. */
    MAX_SRQ_SGE,
    /** Partition keys. */
    MAX_PKEYS,
    /** Longest the device takes to acknowledge, as an exponent: 4.096 us * 2^value. */
    LOCAL_CA_ACK_DELAY,
    /** Bytes an INLINE send can carry. */
    MAX_INLINE_DATA,
    /** Completion vectors. */
    NUM_COMP_VECTORS,
    /** Physical ports. */
    PHYS_PORT_CNT
}
