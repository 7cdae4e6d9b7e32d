package io.verbena.bench;

import io.verbena.verbs.PostStatus;
import io.verbena.verbs.WorkCompletion;

/** A measurement failed: a post was refused or a work request ended in an error. The message is one line. */
public final class PerfException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes an exception.
     *
     * @param message what failed, in one line
     */
    public PerfException(String message) {
        super(message);
    }

    /**
     * Reports a post that was refused.
     *
     * @param what what was posted
     * @param status the code returned
     * @return the exception
     */
    public static PerfException refused(String what, int status) {
        return new PerfException(what + " was refused: " + PostStatus.describe(status));
    }

    /**
     * Reports what a poll returned when it was no good completion.
     *
     * @param polled what the poll returned
     * @param completion what it filled
     * @return the exception
     */
    public static PerfException failed(int polled, WorkCompletion completion) {
        if (polled < 0) {
            return new PerfException("polling failed: " + PostStatus.describe(polled));
        }
        return new PerfException("a work request failed: " + completion);
    }
}
