package io.verbena.verbs;

/** How a work request ended, with the numbers and wordings of libibverbs (ibv_poll_cq(3), ibv_wc_status_str(3)). */
public enum WcStatus {
    /** The request succeeded. */
    SUCCESS("success", "nothing to do"),
    /** A message is longer than the local receive buffer or the transport allows. */
    LOC_LEN_ERR("local length error", "post larger receive buffers or send less"),
    /** The request is malformed or not legal for this queue pair. */
    LOC_QP_OP_ERR("local QP operation error", "check the opcode, the keys and the queue pair's attributes"),
    /** Local end-to-end context error (reliable datagram only; never seen here). */
    LOC_EEC_OP_ERR("local EE context operation error", "not used by this transport"),
    /** A local buffer is not covered by its lkey: key, protection domain, range or right. */
    LOC_PROT_ERR("local protection error",
            "check lkey, address and length of the local buffers, and LOCAL_WRITE where the NIC writes"),
    /** The queue pair went to ERR before this request was done. */
    WR_FLUSH_ERR("Work Request Flushed Error",
            "look for this queue pair's completion with another failure, perhaps still to be polled,"
                    + " or at who moved it to ERR; when nothing was outstanding and the peer's process ended, the"
                    + " async event QP_FATAL tells"),
    /** A memory window could not be bound. */
    MW_BIND_ERR("memory management operation error", "check the region's MW_BIND right, range and protection domain"),
    /** A response fitted no outstanding request. */
    BAD_RESP_ERR("bad response error", "check that both ends use the same path MTU"),
    /** Protection error on a local buffer while an RDMA WRITE with immediate came in. */
    LOC_ACCESS_ERR("local access error", "check the local buffers of the receive"),
    /** The peer refused the request as invalid. */
    REM_INV_REQ_ERR("remote invalid request error",
            "check the peer's qp access flags, its receive buffer length, max_dest_rd_atomic and the path MTU"),
    /** The peer refused the access: rkey, protection domain, range or right. */
    REM_ACCESS_ERR("remote access error",
            "check rkey, remote address, length and the rights of the peer's region"),
    /** The peer could not process the request. */
    REM_OP_ERR("remote operation error", "look at the peer's receive completions and async events"),
    /** The peer did not answer in time. */
    RETRY_EXC_ERR("transport retry counter exceeded",
            "check that the peer is alive and connected to this queue pair with matching PSNs"),
    /** The peer had no receive posted for too long. */
    RNR_RETRY_EXC_ERR("RNR retry counter exceeded", "post receives earlier, or raise rnr_retry or min_rnr_timer"),
    /** Local reliable datagram domain error (never seen here). */
    LOC_RDD_VIOL_ERR("local RDD violation error", "not used by this transport"),
    /** Remote reliable datagram request error (never seen here). */
    REM_INV_RD_REQ_ERR("remote invalid RD request", "not used by this transport"),
    /** The operation was aborted. */
    REM_ABORT_ERR("aborted error", "the message was aborted midway; receive again"),
    /** Bad end-to-end context number (never seen here). */
    INV_EECN_ERR("invalid EE context number", "not used by this transport"),
    /** Bad end-to-end context state (never seen here). */
    INV_EEC_STATE_ERR("invalid EE context state", "not used by this transport"),
    /** The device failed. */
    FATAL_ERR("fatal error", "close and reopen the device"),
    /** A response did not come in time. */
    RESP_TIMEOUT_ERR("response timeout error", "check the peer"),
    /** Any other failure. */
    GENERAL_ERR("general error", "look at vendorErr"),
    /** Tag matching error. */
    TM_ERR("TM error", "not used by this transport"),
    /** Tag matching rendezvous not finished. */
    TM_RNDV_INCOMPLETE("TM software rendezvous", "not used by this transport");

    private static final WcStatus[] BY_CODE = values();

    private final String text;
    private final String advice;

    WcStatus(String text, String advice) {
        this.text = text;
        this.advice = advice;
    }

    /**
     * The number libibverbs gives this status.
     *
     * @return 0 to 23
     */
    public int code() {
        return ordinal();
    }

    /**
     * The wording of ibv_wc_status_str(3).
     *
     * @return a short English text
     */
    public String text() {
        return text;
    }

    /**
     * What usually causes this status and where to look.
     *
     * @return one English sentence without a full stop
     */
    public String advice() {
        return advice;
    }

    /**
     * Finds a status by its number.
     *
     * @param code 0 to 23
     * @return the status, or null when the number is unknown
     */
    public static WcStatus ofCode(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    }
}
