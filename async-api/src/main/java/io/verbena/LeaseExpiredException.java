package io.verbena;

/** The lease of the remote memory is over by this side's clock, so nothing was posted; ask the peer for another. */
public final class LeaseExpiredException extends RdmaException {
    private static final long serialVersionUID = 1L;

    LeaseExpiredException(String message) {
        super(message);
    }

    LeaseExpiredException(String message, Throwable cause) {
        super(message, cause);
    }
}
