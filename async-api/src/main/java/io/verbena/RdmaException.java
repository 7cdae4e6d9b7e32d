package io.verbena;

/** What this API throws, or completes futures with, when something went wrong that a caller may want to tell apart. */
public abstract class RdmaException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes an exception.
     *
     * @param message what was asked, what is allowed, and what to do
     */
    protected RdmaException(String message) {
        super(message);
    }

    /**
     * Makes an exception with a cause.
     *
     * @param message what was asked, what is allowed, and what to do
     * @param cause what led to it, or null
     */
    protected RdmaException(String message, Throwable cause) {
        super(message, cause);
    }
}
