package io.verbena;

/**
 * The connection was closed, here or by the peer, or has failed; the cause says why if it was not asked for. When the
 * peer has closed it in order it is a {@link PeerClosedException}.
 */
public sealed class ConnectionClosedException extends RdmaException permits PeerClosedException {
    private static final long serialVersionUID = 1L;

    ConnectionClosedException(String message) {
        super(message);
    }

    ConnectionClosedException(String message, Throwable cause) {
        super(message, cause);
    }
}
