package io.verbena.async.handshake;

/** What a frame says. */
enum FrameType {
    /** Client to server: an {@link Opening}. */
    OPEN,
    /** Server to client: an {@link Opening}. */
    CHALLENGE,
    /** Client to server: its hello, and its proof if there is a secret. */
    HELLO,
    /** Server to client: its hello, and its proof if there is a secret. Its queue pair is ready to receive and send. */
    ANSWER,
    /** Client to server: the client's queue pair is ready, and its receives are posted. */
    READY,
    /** Server to client: it has taken the connection. */
    READY_ACK,
    /** Either way, before READY_ACK: a {@link Refusal}. The last frame. */
    REFUSED,
    /** Either way, after READY_ACK: it ends in order. The last frame. */
    DISCONNECT;

    private static final FrameType[] ALL = values();

    int code() {
        return ordinal() + 1;
    }

    static FrameType ofCode(int code) {
        if (code < 1 || code > ALL.length) {
            throw new HandshakeException(FailureKind.PROTOCOL, "a frame of unknown type " + code);
        }
        return ALL[code - 1];
    }
}
