package io.verbena;

import io.verbena.async.op.OpCode;
import io.verbena.verbs.WcStatus;

/**
 * The NIC, or the peer's, refused or gave up an operation. When the status is WR_FLUSH_ERR the operation was swept away
 * by the end of its connection, and the cause says what ended that.
 */
public final class OperationFailedException extends RdmaException {
    private static final long serialVersionUID = 1L;

    private final transient WcStatus status;
    private final int vendorErr;
    private final int qpNum;
    private final String operation;
    private final long remoteAddress;

    OperationFailedException(WcStatus status, int vendorErr, int qpNum, int kind, long remoteAddress,
            Throwable cause) {
        super(text(status, vendorErr, qpNum, kind, remoteAddress), cause);
        this.status = status;
        this.vendorErr = vendorErr;
        this.qpNum = qpNum;
        operation = OpCode.name(kind);
        this.remoteAddress = remoteAddress;
    }

    private static String text(WcStatus status, int vendorErr, int qpNum, int kind, long remoteAddress) {
        return OpCode.name(kind) + " on queue pair 0x" + Integer.toHexString(qpNum)
                + (remoteAddress == 0 ? "" : " at remote address 0x" + Long.toHexString(remoteAddress)) + " ended in "
                + status + " (" + status.text() + ": " + status.advice() + ")"
                + (vendorErr == 0 ? "" : ", vendor error " + vendorErr);
    }

    /**
     * How it ended.
     *
     * @return never SUCCESS
     */
    public WcStatus status() {
        return status;
    }

    /**
     * The device's own detail.
     *
     * @return 0 for none
     */
    public int vendorErr() {
        return vendorErr;
    }

    /**
     * The queue pair it was posted to.
     *
     * @return its number, 24 bits
     */
    public int qpNum() {
        return qpNum;
    }

    /**
     * What was asked for.
     *
     * @return READ, WRITE and so on
     */
    public String operation() {
        return operation;
    }

    /**
     * What it was to reach.
     *
     * @return an address at the peer; 0 for messages
     */
    public long remoteAddress() {
        return remoteAddress;
    }
}
