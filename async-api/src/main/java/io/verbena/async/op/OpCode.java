package io.verbena.async.op;

/** What an operation does; an int in {@link Operation}, so that nothing is looked up on the data path. */
public final class OpCode {
    /** RDMA WRITE. */
    public static final int WRITE = 0;
    /** RDMA WRITE with immediate data. */
    public static final int WRITE_WITH_IMM = 1;
    /** RDMA READ. */
    public static final int READ = 2;
    /** Compare and swap. */
    public static final int COMPARE_AND_SWAP = 3;
    /** Fetch and add. */
    public static final int FETCH_AND_ADD = 4;
    /** A WRITE of nothing that waits for everything before it. */
    public static final int FLUSH = 5;
    /** A message of the application. */
    public static final int SEND = 6;
    /** A message with immediate data. */
    public static final int SEND_WITH_IMM = 7;
    /** A frame between the two ends of this API. */
    public static final int CONTROL = 8;
    /** A receive of the application, on a connection without frames. */
    public static final int RECEIVE = 9;
    /** A WRITE of nothing that asks whether the peer is alive. */
    public static final int PROBE = 10;

    private static final String[] NAMES = {
        "WRITE", "WRITE_WITH_IMM", "READ", "COMPARE_AND_SWAP", "FETCH_AND_ADD", "FLUSH", "SEND", "SEND_WITH_IMM",
        "CONTROL", "RECEIVE", "PROBE"
    };

    private OpCode() {}

    /**
     * Whether an operation takes a receive of the peer.
     *
     * @param kind one of the numbers of this class
     * @return true for messages of the application, and WRITEs with immediate data
     */
    public static boolean takesReceive(int kind) {
        return kind == SEND || kind == SEND_WITH_IMM || kind == WRITE_WITH_IMM;
    }

    /**
     * Whether an operation is a message of the application.
     *
     * @param kind one of the numbers of this class
     * @return true for SEND, with immediate data or without
     */
    public static boolean isMessage(int kind) {
        return kind == SEND || kind == SEND_WITH_IMM;
    }

    /**
     * The name of an operation.
     *
     * @param kind one of the numbers of this class
     * @return as the constant is called
     */
    public static String name(int kind) {
        return NAMES[kind];
    }
}
