package io.verbena;

/** The peer understood a request and refused it; the message says why. */
public final class PeerRefusedException extends RdmaException {
    private static final long serialVersionUID = 1L;

    PeerRefusedException(String message) {
        super(message);
    }

    PeerRefusedException(String message, Throwable cause) {
        super(message, cause);
    }
}
