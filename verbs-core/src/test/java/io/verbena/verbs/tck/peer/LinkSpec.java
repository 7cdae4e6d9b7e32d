package io.verbena.verbs.tck.peer;

import io.verbena.verbs.Access;
import io.verbena.verbs.AddressVector;
import io.verbena.verbs.Mtu;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttribute;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import java.io.Serializable;

/** Attributes that one side's queue pair is connected with; the type says which of them count. Setters return this. */
public final class LinkSpec implements Serializable {
    private static final long serialVersionUID = 1L;
    /** All rights a peer can have. */
    public static final int ALL_REMOTE = Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC;

    /** System property with the usual code of the local ACK timeout, shorter where packets are lost on purpose. */
    private static final String TIMEOUT_PROPERTY = "verbena.tck.timeout";

    private Mtu mtu = Mtu.MTU_1024;
    private int access = ALL_REMOTE;
    private int timeout = Integer.getInteger(TIMEOUT_PROPERTY, 14);
    private int retryCount = 7;
    private int rnrRetry = 7;
    private int minRnrTimer = 10;
    private int maxRdAtomic = 16;
    private int maxDestRdAtomic = 16;
    private int psn = 0x1234;
    private int qkey = 0x1111_1111;

    /** Makes the usual attributes: path MTU 1024, all rights, timeout 67 ms unless told otherwise, RNR wait 0.32 ms. */
    public LinkSpec() {}

    /**
     * Sets the path MTU.
     *
     * @param value for this side
     * @return this
     */
    public LinkSpec mtu(Mtu value) {
        mtu = value;
        return this;
    }

    /**
     * Sets what the other side may do.
     *
     * @param value bits of Access
     * @return this
     */
    public LinkSpec access(int value) {
        access = value;
        return this;
    }

    /**
     * Sets the retransmission timer.
     *
     * @param code local ACK timeout
     * @param retries how often to try again
     * @return this
     */
    public LinkSpec retry(int code, int retries) {
        timeout = code;
        retryCount = retries;
        return this;
    }

    /**
     * Sets how often to try again after receiver-not-ready.
     *
     * @param value 7 is without end
     * @return this
     */
    public LinkSpec rnrRetry(int value) {
        rnrRetry = value;
        return this;
    }

    /**
     * Sets the wait that this side asks for when it is not ready.
     *
     * @param code see RnrTimer
     * @return this
     */
    public LinkSpec minRnrTimer(int code) {
        minRnrTimer = code;
        return this;
    }

    /**
     * Sets the depths of READs and atomics.
     *
     * @param own this side may have outstanding
     * @param others the other side may have outstanding here
     * @return this
     */
    public LinkSpec rdAtomic(int own, int others) {
        maxRdAtomic = own;
        maxDestRdAtomic = others;
        return this;
    }

    /**
     * Sets the first packet sequence number this side sends.
     *
     * @param value 24 bits
     * @return this
     */
    public LinkSpec psn(int value) {
        psn = value;
        return this;
    }

    /**
     * The first packet sequence number this side sends.
     *
     * @return 24 bits
     */
    public int psn() {
        return psn;
    }

    /**
     * Sets this side's queue key.
     *
     * @param value 32 bits
     * @return this
     */
    public LinkSpec qkey(int value) {
        qkey = value;
        return this;
    }

    /**
     * This side's queue key.
     *
     * @return 32 bits
     */
    public int qkey() {
        return qkey;
    }

    /**
     * What takes a queue pair of a type from RESET to INIT.
     *
     * @param type its type
     * @return new attributes
     */
    public QueuePairAttributes init(QueuePairType type) {
        return type == QueuePairType.UD
                ? new QueuePairAttributes().state(QueuePairState.INIT).pkeyIndex(0).port(1).qkey(qkey)
                : QueuePairAttributes.init(1, access);
    }

    /**
     * What takes a queue pair of a type from INIT to RTR.
     *
     * @param type its type
     * @param peer the other end; ignored by UD
     * @return new attributes
     */
    public QueuePairAttributes rtr(QueuePairType type, QueuePairEndpoint peer) {
        if (type == QueuePairType.UD) {
            return QueuePairAttributes.toState(QueuePairState.RTR);
        }
        QueuePairAttributes all = rtr(peer);
        int reliableOnly = QueuePairAttribute.MAX_DEST_RD_ATOMIC.mask() | QueuePairAttribute.MIN_RNR_TIMER.mask();
        return type == QueuePairType.RC ? all : all.mask(all.mask() & ~reliableOnly);
    }

    /**
     * What takes a queue pair of a type from RTR to RTS.
     *
     * @param type its type
     * @return new attributes
     */
    public QueuePairAttributes rts(QueuePairType type) {
        return type == QueuePairType.RC ? rts() : QueuePairAttributes.toState(QueuePairState.RTS).sqPsn(psn);
    }

    /**
     * What takes a queue pair from INIT to RTR.
     *
     * @param peer the other end
     * @return new attributes
     */
    public QueuePairAttributes rtr(QueuePairEndpoint peer) {
        return new QueuePairAttributes()
                .state(QueuePairState.RTR)
                .addressVector(AddressVector.to(peer.gid()))
                .pathMtu(mtu)
                .destQpNum(peer.qpNum())
                .rqPsn(peer.psn())
                .maxDestRdAtomic(maxDestRdAtomic)
                .minRnrTimer(minRnrTimer);
    }

    /**
     * What takes a queue pair from RTR to RTS.
     *
     * @return new attributes
     */
    public QueuePairAttributes rts() {
        return new QueuePairAttributes()
                .state(QueuePairState.RTS)
                .sqPsn(psn)
                .timeout(timeout)
                .retryCount(retryCount)
                .rnrRetry(rnrRetry)
                .maxRdAtomic(maxRdAtomic);
    }

    /**
     * Takes a queue pair from RESET to RTS.
     *
     * @param qp in RESET
     * @param peer the other end; ignored by UD
     */
    public void connect(QueuePair qp, QueuePairEndpoint peer) {
        qp.modify(init(qp.type()));
        qp.modify(rtr(qp.type(), peer));
        qp.modify(rts(qp.type()));
    }
}
