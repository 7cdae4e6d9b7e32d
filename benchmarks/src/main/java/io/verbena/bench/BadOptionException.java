package io.verbena.bench;

/** An option was given a value that is not allowed, or options contradict each other. The message is one line. */
public final class BadOptionException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes an exception with a complete message.
     *
     * @param message what is wrong and what is allowed, in one line
     */
    public BadOptionException(String message) {
        super(message);
    }

    /**
     * Reports a value that is not allowed.
     *
     * @param option as the user writes it, for example {@code -s}
     * @param value what the user wrote
     * @param allowed what would have been allowed
     * @return the exception
     */
    public static BadOptionException value(String option, Object value, String allowed) {
        return new BadOptionException(option + " is " + value + "; allowed: " + allowed);
    }
}
