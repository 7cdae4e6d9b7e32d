package io.verbena;

/** As many operations are under way as the connection takes, or as the peer has receives for. */
public final class BackPressureException extends RdmaException {
    private static final long serialVersionUID = 1L;

    BackPressureException(String message) {
        super(message);
    }

    BackPressureException(String message, Throwable cause) {
        super(message, cause);
    }
}
