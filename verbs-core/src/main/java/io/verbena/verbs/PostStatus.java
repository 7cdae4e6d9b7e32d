package io.verbena.verbs;

/**
 * What posting returns: {@link #OK} or a negative code that says why a work request was refused. A refused work
 * request has no effect and no completion; earlier ones of the same list stay posted (ibv_post_send(3), bad_wr).
 */
public final class PostStatus {
    /** Every work request was taken. */
    public static final int OK = 0;
    /** The send queue, receive queue or shared receive queue is full: poll completions first. */
    public static final int QUEUE_FULL = -1;
    /** The queue pair's state does not take this kind of work request. */
    public static final int WRONG_STATE = -2;
    /** More scatter/gather entries than the queue pair was made for, or than the opcode takes. */
    public static final int TOO_MANY_SGES = -3;
    /** An INLINE message is longer than maxInlineData. */
    public static final int INLINE_TOO_LONG = -4;
    /** The opcode is not legal for this queue pair type, or the device does not support it. */
    public static final int BAD_OPCODE = -5;
    /** A length is negative, or the message is longer than the port's max_msg_sz. */
    public static final int BAD_LENGTH = -6;
    /** The remote address of an atomic is not a multiple of 8. */
    public static final int ATOMIC_MISALIGNED = -7;
    /** The local buffer of an atomic is not exactly one entry of 8 bytes. */
    public static final int ATOMIC_LENGTH = -8;
    /** A flag is unknown or not legal with this opcode. */
    public static final int BAD_FLAGS = -9;
    /** INLINE data does not lie in memory registered in the queue pair's protection domain. */
    public static final int INLINE_NOT_REGISTERED = -10;
    /** The queue pair uses a shared receive queue: post receives there. */
    public static final int HAS_SRQ = -11;
    /** The object is closed. */
    public static final int CLOSED = -12;
    /** The completion queue is in error after an overflow; returned by polling once it is drained. */
    public static final int CQ_ERROR = -13;
    /** The address handle is missing, closed, or of another protection domain. */
    public static final int BAD_ADDRESS_HANDLE = -14;
    /** A memory window is missing, closed, of another device, or of the other type. */
    public static final int BAD_WINDOW = -15;
    /** A bind names an address or a length but no region, or a region of another device. */
    public static final int BAD_REGION = -16;
    /** The window, the region and the queue pair of a bind are not of one protection domain. */
    public static final int OTHER_DOMAIN = -17;
    /** Placement or selectivity of a FLUSH is not one of {@link FlushType}. */
    public static final int BAD_FLUSH = -18;

    private static final String[] TEXTS = {
        "taken",
        "queue full: poll completions, or create the queue pair with more work requests",
        "wrong state: sends need RTS (or SQD, SQE, ERR), receives INIT or later; arming needs a completion channel",
        "too many scatter/gather entries: raise maxSendSge or maxRecvSge; atomics take exactly one, and FLUSH,"
                + " BIND_MW and LOCAL_INV take no buffer at all",
        "inline data too long: raise maxInlineData or post without INLINE",
        "opcode not supported for this queue pair type by this device",
        "bad length: each length is 0 or more and a message is at most 2^31 bytes",
        "atomic misaligned: the remote address must be a multiple of 8",
        "atomic length: exactly one local entry of 8 bytes is needed",
        "bad flags: INLINE goes with SEND, RDMA_WRITE and ATOMIC_WRITE only; unknown bits must be 0",
        "inline data not in registered memory: register the memory it lies in",
        "the queue pair has a shared receive queue: post receives there",
        "closed: create a new object",
        "completion queue in error after an overflow: close its queue pairs and create a larger one",
        "address handle missing, closed, or of another protection domain",
        "bad memory window, missing, closed, of another device or of the other type: BIND_MW in a list takes type 2,"
                + " MemoryWindow.bind is for type 1",
        "bad memory region: name an open region of this device, or unbind with no region, address 0 and length 0",
        "other protection domain: window, region and queue pair of a bind must be of one domain",
        "bad flush: placement is FlushType.GLOBAL, PERSISTENT or both, selectivity RANGE or REGION"
    };
    private static final Errno[] ERRNOS = {
        null, Errno.ENOMEM, Errno.EINVAL, Errno.EINVAL, Errno.EINVAL, Errno.EINVAL, Errno.EINVAL, Errno.EINVAL,
        Errno.EINVAL, Errno.EINVAL, Errno.EFAULT, Errno.EINVAL, Errno.EINVAL, Errno.EIO, Errno.EINVAL,
        Errno.EINVAL, Errno.EINVAL, Errno.EPERM, Errno.EINVAL
    };

    private PostStatus() {}

    /**
     * Explains a code.
     *
     * @param status 0 or a negative code of this class
     * @return what was wrong and what to do
     */
    public static String describe(int status) {
        return -status >= 0 && -status < TEXTS.length ? TEXTS[-status] : "unknown status " + status;
    }

    /**
     * The errno that libibverbs would return for a code.
     *
     * @param status 0 or a negative code of this class
     * @return the cause, or null for {@link #OK} and unknown codes
     */
    public static Errno errno(int status) {
        return -status >= 0 && -status < ERRNOS.length ? ERRNOS[-status] : null;
    }
}
