package io.verbena.verbs.tck.peer;

import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.QueuePairCapabilities;
import io.verbena.verbs.QueuePairConfig;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.Threading;
import java.io.Serializable;

/** Recipe for one side's queue pair and completion queues. Setters return this. */
public final class QueuePairSpec implements Serializable {
    private static final long serialVersionUID = 1L;

    private QueuePairType type = QueuePairType.RC;
    private Threading threading = Threading.SAFE;
    private boolean sqSigAll;
    private boolean events;
    private int maxSendWr = 64;
    private int maxRecvWr = 64;
    private int maxSge = 4;
    private int maxInline = 64;
    private int sendCqe = 256;
    private int recvCqe = 256;

    /** Makes the usual recipe: RC, 64 work requests of 4 entries each way, 64 bytes inline, 256 completions. */
    public QueuePairSpec() {}

    /**
     * Sets the type.
     *
     * @param value RC, UC or UD
     * @return this
     */
    public QueuePairSpec type(QueuePairType value) {
        type = value;
        return this;
    }

    /**
     * Sets who may post and poll.
     *
     * @param value for the queue pair and its completion queues
     * @return this
     */
    public QueuePairSpec threading(Threading value) {
        threading = value;
        return this;
    }

    /**
     * Makes every send complete.
     *
     * @return this
     */
    public QueuePairSpec signalAll() {
        sqSigAll = true;
        return this;
    }

    /**
     * Gives the completion queues a channel.
     *
     * @return this
     */
    public QueuePairSpec events() {
        events = true;
        return this;
    }

    /**
     * Sets the depth of the queues.
     *
     * @param sends work requests in the send queue
     * @param receives work requests in the receive queue
     * @return this
     */
    public QueuePairSpec depth(int sends, int receives) {
        maxSendWr = sends;
        maxRecvWr = receives;
        return this;
    }

    /**
     * Sets the entries of a work request.
     *
     * @param value scatter/gather entries, sends and receives
     * @return this
     */
    public QueuePairSpec maxSge(int value) {
        maxSge = value;
        return this;
    }

    /**
     * Sets the inline size.
     *
     * @param value bytes
     * @return this
     */
    public QueuePairSpec maxInline(int value) {
        maxInline = value;
        return this;
    }

    /**
     * Sets the sizes of the completion queues.
     *
     * @param sends completions of sends
     * @param receives completions of receives
     * @return this
     */
    public QueuePairSpec cqe(int sends, int receives) {
        sendCqe = sends;
        recvCqe = receives;
        return this;
    }

    /**
     * Who may post and poll.
     *
     * @return the mode
     */
    public Threading threading() {
        return threading;
    }

    /**
     * The type.
     *
     * @return as set
     */
    public QueuePairType type() {
        return type;
    }

    /**
     * Whether the completion queues have a channel.
     *
     * @return as set
     */
    public boolean hasEvents() {
        return events;
    }

    /**
     * Size of the completion queue for sends.
     *
     * @return completions
     */
    public int sendCqe() {
        return sendCqe;
    }

    /**
     * Size of the completion queue for receives.
     *
     * @return completions
     */
    public int recvCqe() {
        return recvCqe;
    }

    /**
     * The configuration on given completion queues.
     *
     * @param sendCq for sends
     * @param recvCq for receives
     * @return a new configuration
     */
    public QueuePairConfig config(CompletionQueue sendCq, CompletionQueue recvCq) {
        return new QueuePairConfig(type, sendCq, recvCq, null,
                new QueuePairCapabilities(maxSendWr, maxRecvWr, maxSge, maxSge, maxInline), sqSigAll, threading);
    }
}
