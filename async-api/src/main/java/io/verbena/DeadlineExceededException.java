package io.verbena;

/**
 * An operation did not end in time. It may still take place: its memory stays lent until {@link
 * RdmaFuture#quiesced()}.
 */
public final class DeadlineExceededException extends RdmaException {
    private static final long serialVersionUID = 1L;

    DeadlineExceededException(String message) {
        super(message);
    }

    DeadlineExceededException(String message, Throwable cause) {
        super(message, cause);
    }
}
