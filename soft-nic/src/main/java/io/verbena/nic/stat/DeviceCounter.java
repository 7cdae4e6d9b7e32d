package io.verbena.nic.stat;

import java.util.Locale;

/**
 * The counters of a software NIC. Names are those of Linux where they fit: rxe's hw_counters, and those of mlx5 that
 * tell requester ({@code req_}) from responder ({@code resp_}). They start at 0 when the NIC is opened.
 *
 * <p>A counter with a {@link #word} is kept in the records of open queue pairs; the Agrona counter of its name holds
 * what closed ones left, and the total is the sum of both, as {@link CounterFiles#read} gives it.
 */
public enum DeviceCounter {
    /** Protection domains. */
    PDS(Unit.NOW, "protection domains open"),
    /** Protection domains made. */
    PDS_CREATED(Unit.COUNT, "protection domains created in all"),
    /** Memory regions. */
    MRS(Unit.NOW, "memory regions registered"),
    /** Memory regions made. */
    MRS_CREATED(Unit.COUNT, "memory regions registered in all"),
    /** Memory windows. */
    MWS(Unit.NOW, "memory windows allocated"),
    /** Memory windows made. */
    MWS_CREATED(Unit.COUNT, "memory windows allocated in all"),
    /** Completion queues. */
    CQS(Unit.NOW, "completion queues open"),
    /** Completion queues made. */
    CQS_CREATED(Unit.COUNT, "completion queues created in all"),
    /** Queue pairs. */
    QPS(Unit.NOW, "queue pairs open"),
    /** Queue pairs made. */
    QPS_CREATED(Unit.COUNT, "queue pairs created in all"),
    /** Shared receive queues. */
    SRQS(Unit.NOW, "shared receive queues open"),
    /** Shared receive queues made. */
    SRQS_CREATED(Unit.COUNT, "shared receive queues created in all"),
    /** Address handles. */
    AHS(Unit.NOW, "address handles open"),
    /** Address handles made. */
    AHS_CREATED(Unit.COUNT, "address handles created in all"),

    /** SENDs. */
    RDMA_SENDS(CounterFileLayout.SENDS, Unit.COUNT, "SENDs executed, of any kind"),
    /** WRITEs. */
    RDMA_WRITES(CounterFileLayout.WRITES, Unit.COUNT, "RDMA WRITEs executed, of any kind; ATOMIC_WRITE and FLUSH too"),
    /** READs. */
    RDMA_READS(CounterFileLayout.READS, Unit.COUNT, "RDMA READs executed"),
    /** Atomics. */
    ATOMICS(CounterFileLayout.ATOMICS, Unit.COUNT, "atomics executed: fetch and adds, compare and swaps"),
    /** Compare and swaps. */
    COMPARE_SWAPS(CounterFileLayout.COMPARE_SWAPS, Unit.COUNT, "compare and swaps among the atomics"),
    /** Messages with an immediate value. */
    WITH_IMM(CounterFileLayout.WITH_IMM, Unit.COUNT, "SENDs and WRITEs with an immediate value among the above"),
    /** Local operations. */
    LOCAL_OPERATIONS(CounterFileLayout.LOCAL_OPERATIONS, Unit.COUNT, "LOCAL_INV and BIND_MW executed"),
    /** Bytes out. */
    SENT_BYTES(CounterFileLayout.SENT_BYTES, Unit.BYTES, "payload of SENDs and RDMA WRITEs"),
    /** Bytes read. */
    READ_BYTES(CounterFileLayout.READ_BYTES, Unit.BYTES, "payload that RDMA READs and atomics brought"),
    /** Receives. */
    RDMA_RECVS(CounterFileLayout.RECEIVES, Unit.COUNT, "receives completed and polled, without error"),
    /** Bytes received. */
    RECEIVED_BYTES(CounterFileLayout.RECEIVED_BYTES, Unit.BYTES,
            "payload of these receives; RDMA WRITEs of peers are not in it unless with an immediate value"),

    /** Sends that failed. */
    REQ_CQE_ERROR(CounterFileLayout.SEND_ERRORS, Unit.COUNT, "sends that ended in an error, flushed ones included"),
    /** Receives that failed. */
    RESP_CQE_ERROR(CounterFileLayout.RECEIVE_ERRORS, Unit.COUNT,
            "receives polled that ended in an error, flushed ones included"),
    /** RNR at the requester. */
    RCVD_RNR_ERR(CounterFileLayout.RNR_WAITS, Unit.COUNT, "times a send of ours found no receive at the peer (RNR)"),
    /** RNR at the responder. */
    SEND_RNR_ERR(Unit.COUNT, "times a send of a peer found no receive here (RNR)"),
    /** Answer timers that ran out. */
    LOCAL_ACK_TIMEOUT_ERR(CounterFileLayout.RETRIES, Unit.COUNT,
            "times the answer timer ran out, each followed by a retry or by retry_exceeded_err"),
    /** Refused accesses. */
    RESP_REMOTE_ACCESS_ERRORS(Unit.COUNT, "requests of peers refused here for rkey, domain, range or right"),
    /** Refused requests. */
    RESP_REMOTE_INVALID_REQUEST(Unit.COUNT,
            "requests of peers refused here as invalid: not allowed, wrong MTU, or no such key to invalidate"),
    /** Messages too long for their receive. */
    RESP_LOCAL_LENGTH_ERROR(Unit.COUNT, "messages of peers longer than the receive they found here"),
    /** Receive buffers that could not be written. */
    RESP_LOCAL_PROT_ERRORS(Unit.COUNT, "messages of peers whose receive has a buffer that its lkey does not open"),
    /** Overflows. */
    CQ_OVERFLOWS(Unit.COUNT, "completion queues that overflowed"),
    /** Events. */
    ASYNC_EVENTS(Unit.COUNT, "asynchronous events raised"),
    /** Events lost. */
    ASYNC_EVENTS_DROPPED(Unit.COUNT, "asynchronous events dropped because nobody took them"),

    /** Status. */
    CQE_LOC_LEN_ERR(Unit.COUNT, "completions with LOC_LEN_ERR"),
    /** Status. */
    CQE_LOC_QP_OP_ERR(Unit.COUNT, "completions with LOC_QP_OP_ERR"),
    /** Status. */
    CQE_LOC_PROT_ERR(Unit.COUNT, "completions with LOC_PROT_ERR: lkey violations, of sends and of receives"),
    /** Status. */
    CQE_WR_FLUSH_ERR(Unit.COUNT, "completions with WR_FLUSH_ERR"),
    /** Status. */
    CQE_MW_BIND_ERR(Unit.COUNT, "completions with MW_BIND_ERR"),
    /** Status. */
    CQE_BAD_RESP_ERR(Unit.COUNT, "completions with BAD_RESP_ERR"),
    /** Status. */
    CQE_LOC_ACCESS_ERR(Unit.COUNT, "completions with LOC_ACCESS_ERR"),
    /** Status. */
    CQE_REM_INV_REQ_ERR(Unit.COUNT, "completions with REM_INV_REQ_ERR"),
    /** Status. */
    CQE_REM_ACCESS_ERR(Unit.COUNT, "completions with REM_ACCESS_ERR"),
    /** Status. */
    CQE_REM_OP_ERR(Unit.COUNT, "completions with REM_OP_ERR"),
    /** Status. */
    RETRY_EXCEEDED_ERR(Unit.COUNT, "completions with RETRY_EXC_ERR: the peer did not answer too often"),
    /** Status. */
    RETRY_RNR_EXCEEDED_ERR(Unit.COUNT, "completions with RNR_RETRY_EXC_ERR: the peer had no receive too often"),
    /** Status. */
    CQE_OTHER_ERR(Unit.COUNT, "completions with any other error"),

    /** Messages lost. */
    UC_LOST(Unit.COUNT, "messages of unreliable connections that went out and that the peer did not take"),
    /** Datagrams dropped. */
    UD_DROP_NO_RECEIVE(Unit.COUNT, "datagrams dropped here: no receive posted"),
    /** Datagrams dropped. */
    UD_DROP_BAD_QKEY(Unit.COUNT, "datagrams dropped here: the Q_Key is not that of the queue pair"),
    /** Datagrams dropped. */
    UD_DROP_TOO_LONG(Unit.COUNT, "datagrams dropped here: longer, with their header of 40 bytes, than the receive"),
    /** Datagrams dropped. */
    UD_DROP_UNKNOWN_QPN(Unit.COUNT,
            "datagrams dropped: no such queue pair (counted at the sender), or one that is not ready"),
    /** Multicast. */
    MULTICAST_DELIVERIES(Unit.COUNT, "datagrams delivered here to members of multicast groups"),

    /** Packets. */
    SENT_PKTS(Unit.COUNT, "packets sent"),
    /** Packets. */
    RCVD_PKTS(Unit.COUNT, "packets that arrived, dropped ones included"),
    /** Packets. */
    DUPLICATE_REQUEST(Unit.COUNT, "packets that had arrived before"),
    /** Packets. */
    OUT_OF_SEQ_REQUEST(Unit.COUNT, "packets before which one was missing"),
    /** Packets. */
    CNP_HANDLED(Unit.COUNT, "packets that tell of congestion; noted only"),
    /** Packets not sent. */
    PKT_SEND_ERR(Unit.COUNT, "packets that the system did not send: nobody there, no way, too long"),
    /** Receptions that failed. */
    PKT_RECEIVE_ERR(Unit.COUNT, "times that receiving packets failed"),
    /** Packets dropped. */
    PKT_DROP_SYSTEM(Unit.COUNT, "packets that arrived and for which the system had no room, as far as it has told"),
    /** Packets dropped. */
    PKT_DROP_BAD_LENGTH(Unit.COUNT, "packets dropped: shorter than their headers, or no multiple of 4 bytes"),
    /** Packets dropped. */
    PKT_DROP_TOO_LONG(Unit.COUNT, "packets dropped: longer than any may be"),
    /** Packets dropped. */
    PKT_DROP_UNKNOWN_OPCODE(Unit.COUNT, "packets dropped: the opcode is not spoken here"),
    /** Packets dropped. */
    PKT_DROP_BAD_VERSION(Unit.COUNT, "packets dropped: the transport version is not 0"),
    /** Packets dropped. */
    PKT_DROP_BAD_ICRC(Unit.COUNT, "packets dropped: the invariant CRC is wrong"),
    /** Packets dropped. */
    PKT_DROP_UNKNOWN_QPN(Unit.COUNT, "packets dropped: no such queue pair"),
    /** Packets dropped. */
    PKT_DROP_WRONG_TRANSPORT(Unit.COUNT, "packets dropped: for another type of queue pair"),
    /** Packets dropped. */
    PKT_DROP_WRONG_STATE(Unit.COUNT, "packets dropped: the queue pair takes none in its state"),
    /** Packets dropped. */
    PKT_DROP_FOREIGN_SOURCE(Unit.COUNT, "packets dropped: from another address than the connection's"),
    /** Packets dropped. */
    PKT_DROP_BAD_PKEY(Unit.COUNT, "packets dropped: of another partition"),
    /** Packets dropped. */
    PKT_DROP_STALE(Unit.COUNT, "packets dropped: they answer nothing that is outstanding"),
    /** Packets dropped. */
    PKT_DROP_FORGOTTEN(Unit.COUNT, "packets dropped: they repeat what is remembered no more, or otherwise"),
    /** Packets dropped. */
    UC_DROP_NO_RECEIVE(Unit.COUNT, "packets of unreliable connections dropped: no receive posted"),
    /** Packets dropped. */
    UC_DROP_TOO_LONG(Unit.COUNT, "packets of unreliable connections dropped: the message is longer than its receive"),
    /** Packets dropped. */
    UC_DROP_BROKEN_MESSAGE(Unit.COUNT, "packets of unreliable connections dropped: their message is not complete"),
    /** Packets dropped. */
    UC_DROP_NOT_ALLOWED(Unit.COUNT, "packets of unreliable connections dropped: they may not touch that memory");

    /** What is counted. */
    public enum Unit {
        /** How many there are now: goes up and down. */
        NOW("now"),
        /** How often something happened: only goes up. */
        COUNT("count"),
        /** Bytes: only goes up. */
        BYTES("bytes");

        private final String text;

        Unit(String text) {
            this.text = text;
        }

        /** The unit as text. */
        @Override
        public String toString() {
            return text;
        }
    }

    private final int word;
    private final Unit unit;
    private final String meaning;

    DeviceCounter(Unit unit, String meaning) {
        this(CounterFileLayout.IDENTITY, unit, meaning);
    }

    DeviceCounter(int word, Unit unit, String meaning) {
        this.word = word;
        this.unit = unit;
        this.meaning = meaning;
    }

    /**
     * The counter's name.
     *
     * @return lower case, for example {@code rdma_sends}
     */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Where open queue pairs keep their part.
     *
     * @return index of a word in a queue pair's record, or 0 when they keep none
     */
    public int word() {
        return word;
    }

    /**
     * What is counted.
     *
     * @return the unit
     */
    public Unit unit() {
        return unit;
    }

    /**
     * What it means.
     *
     * @return one line of English
     */
    public String meaning() {
        return meaning;
    }
}
