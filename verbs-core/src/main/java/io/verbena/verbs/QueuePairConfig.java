package io.verbena.verbs;

/**
 * What a queue pair is made from (struct ibv_qp_init_attr).
 *
 * @param type the transport service
 * @param sendCq where sends complete
 * @param recvCq where receives complete; may be the same
 * @param srq a shared receive queue to draw from, or null
 * @param capabilities the sizes
 * @param sqSigAll true to complete every send, whatever its flags say
 * @param threading who may post
 */
public record QueuePairConfig(
        QueuePairType type, CompletionQueue sendCq, CompletionQueue recvCq, SharedReceiveQueue srq,
        QueuePairCapabilities capabilities, boolean sqSigAll, Threading threading) {
    /** Checks what can be checked without a device. */
    public QueuePairConfig {
        require("type", type, "RC, UC or UD");
        require("sendCq", sendCq, "a completion queue of the same context");
        require("recvCq", recvCq, "a completion queue of the same context");
        require("capabilities", capabilities, "the sizes of the queues");
        require("threading", threading, "SAFE or SINGLE");
    }

    private static void require(String name, Object value, String allowed) {
        if (value == null) {
            throw VerbsException.invalid(name, null, allowed);
        }
    }

    /**
     * A reliable connection on one completion queue that any thread may post to; sends complete when signalled.
     *
     * @param cq for sends and receives
     * @param capabilities the sizes
     * @return the configuration
     */
    public static QueuePairConfig rc(CompletionQueue cq, QueuePairCapabilities capabilities) {
        return new QueuePairConfig(QueuePairType.RC, cq, cq, null, capabilities, false, Threading.SAFE);
    }

    /**
     * The same with another type.
     *
     * @param newType the transport service
     * @return a changed copy
     */
    public QueuePairConfig withType(QueuePairType newType) {
        return new QueuePairConfig(newType, sendCq, recvCq, srq, capabilities, sqSigAll, threading);
    }

    /**
     * The same with another completion queue for receives.
     *
     * @param newRecvCq where receives complete
     * @return a changed copy
     */
    public QueuePairConfig withRecvCq(CompletionQueue newRecvCq) {
        return new QueuePairConfig(type, sendCq, newRecvCq, srq, capabilities, sqSigAll, threading);
    }

    /**
     * The same with a shared receive queue.
     *
     * @param newSrq what to draw receives from, or null
     * @return a changed copy
     */
    public QueuePairConfig withSrq(SharedReceiveQueue newSrq) {
        return new QueuePairConfig(type, sendCq, recvCq, newSrq, capabilities, sqSigAll, threading);
    }

    /**
     * The same with other signalling.
     *
     * @param newSqSigAll true to complete every send
     * @return a changed copy
     */
    public QueuePairConfig withSqSigAll(boolean newSqSigAll) {
        return new QueuePairConfig(type, sendCq, recvCq, srq, capabilities, newSqSigAll, threading);
    }

    /**
     * The same with another threading mode.
     *
     * @param newThreading who may post
     * @return a changed copy
     */
    public QueuePairConfig withThreading(Threading newThreading) {
        return new QueuePairConfig(type, sendCq, recvCq, srq, capabilities, sqSigAll, newThreading);
    }
}
