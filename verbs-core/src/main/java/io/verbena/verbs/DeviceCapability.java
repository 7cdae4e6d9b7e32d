package io.verbena.verbs;

/** What a device can do beyond the basics (device_cap_flags of struct ibv_device_attr). */
public enum DeviceCapability {
    /** Counts bad partition keys. */
    BAD_PKEY_CNTR,
    /** Counts bad queue keys. */
    BAD_QKEY_CNTR,
    /** Reports a port that becomes active. */
    PORT_ACTIVE_EVENT,
    /** Sends receiver-not-ready answers for RC. */
    RC_RNR_NAK_GEN,
    /** Can resize shared receive queues. */
    SRQ_RESIZE,
    /** Has LOCAL_INV and SEND_WITH_INV. */
    MEM_MGT_EXTENSIONS,
    /** Has type 1 memory windows. */
    MEM_WINDOW,
    /** Has type 2B memory windows. */
    MEM_WINDOW_TYPE_2B
}
