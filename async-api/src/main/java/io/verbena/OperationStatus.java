package io.verbena;

import io.verbena.verbs.WcStatus;

/**
 * What starting an operation with a {@link CompletionCallback} returns, and how such an operation ended. When starting
 * returns anything but {@link #SUCCESS} nothing was started and the callback is not called.
 */
public final class OperationStatus {
    /** Started, or ended well. */
    public static final int SUCCESS = 0;
    /** Too many operations under way: let some end, or configure another {@link BackPressure}. */
    public static final int BACK_PRESSURED = -1;
    /** The connection is not connected yet. */
    public static final int NOT_CONNECTED = -2;
    /** The connection is closed, or being closed. */
    public static final int CLOSED = -3;
    /** The connection has failed; {@link RdmaConnection#failure()} says why. */
    public static final int FAILED = -4;
    /** An operation in flight excludes the local memory. */
    public static final int OWNERSHIP = -5;
    /** Local and remote memory are not of equal length, or the operation takes another length. */
    public static final int LENGTHS = -6;
    /** The lease of the remote memory is over. */
    public static final int EXPIRED = -7;
    /** The local memory is closed. */
    public static final int MEMORY_CLOSED = -8;
    /** The local memory has no LOCAL_WRITE, or the remote memory not the right that the operation needs. */
    public static final int NO_RIGHT = -9;
    /** The remote address of an atomic is not a multiple of 8. */
    public static final int MISALIGNED = -10;
    /** The operation needs a framed connection, or one without frames. */
    public static final int WRONG_MODE = -11;
    /** The device refused the request. */
    public static final int REFUSED = -12;
    /** The deadline is over; the operation may still take place, and the memory stays lent until it can't any more. */
    public static final int DEADLINE = -13;
    /** The local memory is another node's, so this connection's device can't reach it. */
    public static final int FOREIGN_MEMORY = -14;

    private static final String[] TEXTS = {
        "success",
        "back pressure: as many operations are under way as the connection takes (ConnectionConfig.queues, or the"
                + " peer's receives); let some end, or configure BackPressure.queue or .block",
        "not connected: call connect first",
        "closed: open another connection",
        "failed: see failure() for the cause, and open another connection",
        "ownership: an operation in flight uses the local memory; wait for its end or use other memory",
        "lengths: local and remote memory must be equally long (slice the longer one), atomics need 8 bytes, and a"
                + " message is at most as long as MessageConfig allows",
        "expired: the lease of the remote memory is over; ask the peer for another",
        "the local memory is closed",
        "no right: READ needs LOCAL_WRITE here and REMOTE_READ at the peer, WRITE needs REMOTE_WRITE, atomics need"
                + " REMOTE_ATOMIC",
        "misaligned: the remote address of an atomic must be a multiple of 8",
        "wrong mode: send and receive need a framed connection, sendRaw and receiveRaw one made with"
                + " MessageConfig.raw",
        "refused by the device",
        "deadline exceeded",
        "foreign memory: the local memory was allocated or registered by another node; use memory() of the node that"
                + " the connection belongs to"
    };

    private OperationStatus() {}

    /**
     * Explains a code.
     *
     * @param status a code of this class or of {@link WcStatus}
     * @return what was wrong and what to do
     */
    public static String describe(int status) {
        if (status > 0) {
            WcStatus known = WcStatus.ofCode(status);
            return known == null ? "unknown status " + status : known.text() + ": " + known.advice();
        }
        return -status < TEXTS.length && -status >= 0 ? TEXTS[-status] : "unknown status " + status;
    }
}
