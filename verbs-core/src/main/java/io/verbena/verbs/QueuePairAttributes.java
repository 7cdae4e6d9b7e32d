package io.verbena.verbs;

/**
 * Attributes of a queue pair with the mask of those that count (struct ibv_qp_attr and attr_mask). Setters add their
 * bit to the mask and return this, so that one modify call reads as one sentence. Not thread-safe.
 *
 * <pre>{@code
 * qp.modify(QueuePairAttributes.init(1, Access.REMOTE_WRITE | Access.REMOTE_READ));
 * qp.modify(QueuePairAttributes.readyToReceive(peer));
 * qp.modify(QueuePairAttributes.readyToSend(myPsn));
 * }</pre>
 *
 * <p>The ready-made attributes hold what ibv_modify_qp(3) requires for a step, and nothing else; those without a type
 * in their name are for RC, {@link #init} for UC as well.
 */
public final class QueuePairAttributes {
    private static final int PSN_MASK = 0xFF_FFFF;

    private int mask;
    private QueuePairState state = QueuePairState.RESET;
    private QueuePairState currentState = QueuePairState.RESET;
    private boolean sqdAsyncNotify;
    private boolean sqDraining;
    private int accessFlags;
    private int pkeyIndex;
    private int port;
    private int qkey;
    private AddressVector addressVector;
    private Mtu pathMtu = Mtu.MTU_1024;
    private int timeout;
    private int retryCount;
    private int rnrRetry;
    private int rqPsn;
    private int sqPsn;
    private int maxRdAtomic;
    private int maxDestRdAtomic;
    private int minRnrTimer;
    private int destQpNum;
    private QueuePairCapabilities capabilities;

    /** Makes attributes with an empty mask. */
    public QueuePairAttributes() {}

    /**
     * Copies values and mask.
     *
     * @param other what to copy
     */
    public QueuePairAttributes(QueuePairAttributes other) {
        set(other, ~0);
        mask = other.mask;
        sqDraining = other.sqDraining;
        capabilities = other.capabilities;
    }

    /**
     * What takes an RC or UC queue pair from RESET to INIT, with partition key index 0 (ibv_modify_qp(3)).
     *
     * @param port the physical port, from 1
     * @param accessFlags what the peer may do: bits of {@link Access}; UC knows REMOTE_WRITE only
     * @return new attributes
     */
    public static QueuePairAttributes init(int port, int accessFlags) {
        return toState(QueuePairState.INIT).pkeyIndex(0).port(port).accessFlags(accessFlags);
    }

    /**
     * What takes a UD queue pair from RESET to INIT, with partition key index 0 (ibv_modify_qp(3)).
     *
     * @param port the physical port, from 1
     * @param qkey the queue key that datagrams must name to be received, 32 bits. Leave the highest bit 0: a work
     *     request with it set means the sender's own queue key instead ({@link Destination#qkey()})
     * @return new attributes
     */
    public static QueuePairAttributes initUd(int port, int qkey) {
        return toState(QueuePairState.INIT).pkeyIndex(0).port(port).qkey(qkey);
    }

    /**
     * What takes an RC queue pair from INIT to RTR with usual values (ibv_modify_qp(3)): path MTU 1024, 16 READs and
     * atomics from the peer, a receiver-not-ready wait of 0.64 ms.
     *
     * @param peer the other end
     * @return new attributes, which may be changed before use
     */
    public static QueuePairAttributes readyToReceive(QueuePairEndpoint peer) {
        return readyToReceiveUc(peer).maxDestRdAtomic(16).minRnrTimer(12);
    }

    /**
     * What takes a UC queue pair from INIT to RTR with the usual path MTU of 1024 (ibv_modify_qp(3)).
     *
     * @param peer the other end
     * @return new attributes, which may be changed before use
     */
    public static QueuePairAttributes readyToReceiveUc(QueuePairEndpoint peer) {
        return toState(QueuePairState.RTR)
                .addressVector(AddressVector.to(peer.gid()))
                .pathMtu(Mtu.MTU_1024)
                .destQpNum(peer.qpNum())
                .rqPsn(peer.psn());
    }

    /**
     * What takes a UD queue pair from INIT to RTR (ibv_modify_qp(3)): the state alone. It has no peer and no path MTU;
     * each datagram names its receiver and is at most as long as the port's active MTU.
     *
     * @return new attributes
     */
    public static QueuePairAttributes readyToReceiveUd() {
        return toState(QueuePairState.RTR);
    }

    /**
     * What takes an RC queue pair from RTR to RTS with usual values (ibv_modify_qp(3)): timeout 14 (67 ms), 7 retries,
     * receiver-not-ready retries without end, 16 READs and atomics outstanding.
     *
     * @param sqPsn first packet sequence number to send, which the peer was told; its low 24 bits count
     * @return new attributes, which may be changed before use
     */
    public static QueuePairAttributes readyToSend(int sqPsn) {
        return readyToSendUc(sqPsn).timeout(14).retryCount(7).rnrRetry(7).maxRdAtomic(16);
    }

    /**
     * What takes a UC queue pair from RTR to RTS (ibv_modify_qp(3)). Nothing is answered, so nothing is tried again.
     *
     * @param sqPsn first packet sequence number to send, which the peer was told; its low 24 bits count
     * @return new attributes
     */
    public static QueuePairAttributes readyToSendUc(int sqPsn) {
        return toState(QueuePairState.RTS).sqPsn(sqPsn);
    }

    /**
     * What takes a UD queue pair from RTR to RTS (ibv_modify_qp(3)).
     *
     * @param sqPsn first packet sequence number to send; its low 24 bits count, and nobody has to be told
     * @return new attributes
     */
    public static QueuePairAttributes readyToSendUd(int sqPsn) {
        return toState(QueuePairState.RTS).sqPsn(sqPsn);
    }

    /**
     * A bare state change, as to ERR, RESET or SQD.
     *
     * @param state where to go
     * @return new attributes
     */
    public static QueuePairAttributes toState(QueuePairState state) {
        return new QueuePairAttributes().state(state);
    }

    /**
     * Takes over the values of some attributes, without changing the mask; for providers.
     *
     * @param other where the values come from
     * @param which bits of {@link QueuePairAttribute#mask()}
     */
    public void set(QueuePairAttributes other, int which) {
        state = has(which, QueuePairAttribute.STATE) ? other.state : state;
        currentState = has(which, QueuePairAttribute.CUR_STATE) ? other.currentState : currentState;
        sqdAsyncNotify = has(which, QueuePairAttribute.EN_SQD_ASYNC_NOTIFY) ? other.sqdAsyncNotify : sqdAsyncNotify;
        accessFlags = has(which, QueuePairAttribute.ACCESS_FLAGS) ? other.accessFlags : accessFlags;
        pkeyIndex = has(which, QueuePairAttribute.PKEY_INDEX) ? other.pkeyIndex : pkeyIndex;
        port = has(which, QueuePairAttribute.PORT) ? other.port : port;
        qkey = has(which, QueuePairAttribute.QKEY) ? other.qkey : qkey;
        addressVector = has(which, QueuePairAttribute.AV) ? other.addressVector : addressVector;
        pathMtu = has(which, QueuePairAttribute.PATH_MTU) ? other.pathMtu : pathMtu;
        timeout = has(which, QueuePairAttribute.TIMEOUT) ? other.timeout : timeout;
        retryCount = has(which, QueuePairAttribute.RETRY_CNT) ? other.retryCount : retryCount;
        rnrRetry = has(which, QueuePairAttribute.RNR_RETRY) ? other.rnrRetry : rnrRetry;
        rqPsn = has(which, QueuePairAttribute.RQ_PSN) ? other.rqPsn : rqPsn;
        sqPsn = has(which, QueuePairAttribute.SQ_PSN) ? other.sqPsn : sqPsn;
        maxRdAtomic = has(which, QueuePairAttribute.MAX_QP_RD_ATOMIC) ? other.maxRdAtomic : maxRdAtomic;
        maxDestRdAtomic = has(which, QueuePairAttribute.MAX_DEST_RD_ATOMIC) ? other.maxDestRdAtomic : maxDestRdAtomic;
        minRnrTimer = has(which, QueuePairAttribute.MIN_RNR_TIMER) ? other.minRnrTimer : minRnrTimer;
        destQpNum = has(which, QueuePairAttribute.DEST_QPN) ? other.destQpNum : destQpNum;
    }

    private static boolean has(int mask, QueuePairAttribute attribute) {
        return (mask & attribute.mask()) != 0;
    }

    private QueuePairAttributes mark(QueuePairAttribute attribute) {
        mask |= attribute.mask();
        return this;
    }

    /** Which attributes count: bits of {@link QueuePairAttribute#mask()}. */
    public int mask() {
        return mask;
    }

    /**
     * Sets which attributes count, whatever the setters marked.
     *
     * @param newMask bits of {@link QueuePairAttribute#mask()}
     * @return this
     */
    public QueuePairAttributes mask(int newMask) {
        mask = newMask;
        return this;
    }

    /** The state to go to, or the state queried: never null. */
    public QueuePairState state() {
        return state;
    }

    /** Sets the state to go to: never null. */
    public QueuePairAttributes state(QueuePairState value) {
        state = nonNull("state", value);
        return mark(QueuePairAttribute.STATE);
    }

    private static <T> T nonNull(String name, T value) {
        if (value == null) {
            throw VerbsException.invalid(name, null, "a value");
        }
        return value;
    }

    /** The state the caller believes to be the present one: never null. */
    public QueuePairState currentState() {
        return currentState;
    }

    /** Sets the state the caller believes to be the present one: RTR, RTS, SQD or SQE. */
    public QueuePairAttributes currentState(QueuePairState value) {
        currentState = nonNull("currentState", value);
        return mark(QueuePairAttribute.CUR_STATE);
    }

    /** Whether the end of draining is reported by an event: as set. */
    public boolean sqdAsyncNotify() {
        return sqdAsyncNotify;
    }

    /** Sets whether the end of draining is reported by an event: true to be told. */
    public QueuePairAttributes sqdAsyncNotify(boolean value) {
        sqdAsyncNotify = value;
        return mark(QueuePairAttribute.EN_SQD_ASYNC_NOTIFY);
    }

    /**
     * Whether the send queue is still draining in SQD; only queried, never set.
     *
     * @return true while work requests begun before SQD are not finished
     */
    public boolean sqDraining() {
        return sqDraining;
    }

    /** Reports draining; for providers: true while draining. */
    public QueuePairAttributes sqDraining(boolean value) {
        sqDraining = value;
        return this;
    }

    /** What the peer may do: bits of {@link Access}. */
    public int accessFlags() {
        return accessFlags;
    }

    /** Sets what the peer may do: bits of {@link Access}, namely REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC. */
    public QueuePairAttributes accessFlags(int value) {
        accessFlags = value;
        return mark(QueuePairAttribute.ACCESS_FLAGS);
    }

    /** Index into the partition key table: as set. */
    public int pkeyIndex() {
        return pkeyIndex;
    }

    /** Sets the index into the partition key table: 0 to pkeyTableLength - 1. */
    public QueuePairAttributes pkeyIndex(int value) {
        pkeyIndex = value;
        return mark(QueuePairAttribute.PKEY_INDEX);
    }

    /** The physical port: from 1. */
    public int port() {
        return port;
    }

    /** Sets the physical port: from 1. */
    public QueuePairAttributes port(int value) {
        port = value;
        return mark(QueuePairAttribute.PORT);
    }

    /** The queue key (UD): 32 bits. */
    public int qkey() {
        return qkey;
    }

    /** Sets the queue key (UD): 32 bits. */
    public QueuePairAttributes qkey(int value) {
        qkey = value;
        return mark(QueuePairAttribute.QKEY);
    }

    /** The way to the peer: null before it was set. */
    public AddressVector addressVector() {
        return addressVector;
    }

    /** Sets the way to the peer: never null. */
    public QueuePairAttributes addressVector(AddressVector value) {
        addressVector = nonNull("addressVector", value);
        return mark(QueuePairAttribute.AV);
    }

    /** The path MTU: never null. */
    public Mtu pathMtu() {
        return pathMtu;
    }

    /** Sets the path MTU, the same at both ends: at most the port's active MTU. */
    public QueuePairAttributes pathMtu(Mtu value) {
        pathMtu = nonNull("pathMtu", value);
        return mark(QueuePairAttribute.PATH_MTU);
    }

    /** Local ACK timeout t: 4.096 us * 2^t, 0 for never: 0 to 31. */
    public int timeout() {
        return timeout;
    }

    /** Sets the local ACK timeout t: 4.096 us * 2^t, 0 for never: 0 to 31. */
    public QueuePairAttributes timeout(int value) {
        timeout = value;
        return mark(QueuePairAttribute.TIMEOUT);
    }

    /** Retries after a timeout: 0 to 7. */
    public int retryCount() {
        return retryCount;
    }

    /** Sets how often a request is tried again after a timeout; 7 means seven times: 0 to 7. */
    public QueuePairAttributes retryCount(int value) {
        retryCount = value;
        return mark(QueuePairAttribute.RETRY_CNT);
    }

    /** Retries after receiver-not-ready; 7 is without end: 0 to 7. */
    public int rnrRetry() {
        return rnrRetry;
    }

    /** Sets how often a request is tried again after receiver-not-ready; 7 is without end: 0 to 7. */
    public QueuePairAttributes rnrRetry(int value) {
        rnrRetry = value;
        return mark(QueuePairAttribute.RNR_RETRY);
    }

    /** First packet sequence number expected; when queried, the next one: 24 bits. */
    public int rqPsn() {
        return rqPsn;
    }

    /** Sets the first packet sequence number expected: the low 24 bits count. */
    public QueuePairAttributes rqPsn(int value) {
        rqPsn = value & PSN_MASK;
        return mark(QueuePairAttribute.RQ_PSN);
    }

    /** First packet sequence number to send; when queried, the next one: 24 bits. */
    public int sqPsn() {
        return sqPsn;
    }

    /** Sets the first packet sequence number to send: the low 24 bits count. */
    public QueuePairAttributes sqPsn(int value) {
        sqPsn = value & PSN_MASK;
        return mark(QueuePairAttribute.SQ_PSN);
    }

    /** READs and atomics this side may have outstanding: 0 to the device's max_qp_init_rd_atom. */
    public int maxRdAtomic() {
        return maxRdAtomic;
    }

    /** Sets how many READs and atomics this side may have outstanding: 0 to the device's max_qp_init_rd_atom. */
    public QueuePairAttributes maxRdAtomic(int value) {
        maxRdAtomic = value;
        return mark(QueuePairAttribute.MAX_QP_RD_ATOMIC);
    }

    /** READs and atomics the peer may have outstanding here: 0 to the device's max_qp_rd_atom. */
    public int maxDestRdAtomic() {
        return maxDestRdAtomic;
    }

    /** Sets how many READs and atomics the peer may have outstanding here: 0 to the device's max_qp_rd_atom. */
    public QueuePairAttributes maxDestRdAtomic(int value) {
        maxDestRdAtomic = value;
        return mark(QueuePairAttribute.MAX_DEST_RD_ATOMIC);
    }

    /** Code of the shortest wait that a receiver-not-ready answer asks for: 0 to 31, see {@link RnrTimer}. */
    public int minRnrTimer() {
        return minRnrTimer;
    }

    /**
     * Sets the code of the shortest wait that a receiver-not-ready answer asks for: 0 to 31; 0 is the longest wait,
     * see {@link RnrTimer}.
     */
    public QueuePairAttributes minRnrTimer(int value) {
        minRnrTimer = value;
        return mark(QueuePairAttribute.MIN_RNR_TIMER);
    }

    /** The peer's queue pair number: 24 bits. */
    public int destQpNum() {
        return destQpNum;
    }

    /** Sets the peer's queue pair number: 24 bits. */
    public QueuePairAttributes destQpNum(int value) {
        destQpNum = value;
        return mark(QueuePairAttribute.DEST_QPN);
    }

    /** The queue sizes; only queried: null unless queried. */
    public QueuePairCapabilities capabilities() {
        return capabilities;
    }

    /** Reports the queue sizes; for providers. */
    public QueuePairAttributes capabilities(QueuePairCapabilities value) {
        capabilities = value;
        return this;
    }

    @Override
    public String toString() {
        return "state=" + state + " access=" + Access.toString(accessFlags) + " port=" + port
                + " destQpNum=" + destQpNum + " pathMtu=" + pathMtu + " sqPsn=" + sqPsn + " rqPsn=" + rqPsn
                + " timeout=" + timeout + " retryCount=" + retryCount + " rnrRetry=" + rnrRetry
                + " minRnrTimer=" + minRnrTimer + " maxRdAtomic=" + maxRdAtomic
                + " maxDestRdAtomic=" + maxDestRdAtomic + " mask=" + QueuePairAttribute.toString(mask);
    }
}
