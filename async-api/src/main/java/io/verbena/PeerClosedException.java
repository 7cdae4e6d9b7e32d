package io.verbena;

/**
 * The peer has closed the connection in order, by {@link RdmaConnection#close()}: whatever it sent before has arrived,
 * and nothing more comes. For {@link RdmaConnection#receive()} the end of what there is to receive. A peer that broke
 * off, by {@link RdmaConnection#closeNow()} or by its end, is no such thing.
 */
public final class PeerClosedException extends ConnectionClosedException {
    private static final long serialVersionUID = 1L;

    PeerClosedException(String message, Throwable cause) {
        super(message, cause);
    }
}
