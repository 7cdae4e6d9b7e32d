package io.verbena.bench;

/** Lets one thread's failure end the waits of the others. Safe from any thread. */
public final class StopFlag {
    private volatile Throwable cause;

    /** Makes a flag that is not raised. */
    public StopFlag() {}

    /**
     * Raises the flag; the first cause stays.
     *
     * @param newCause why
     */
    public synchronized void raise(Throwable newCause) {
        if (cause == null) {
            cause = newCause;
        }
    }

    /**
     * To be called now and then while waiting.
     *
     * @throws PerfException when the flag is raised
     */
    public void check() {
        if (cause != null) {
            throw new PerfException("the other side failed: " + cause.getMessage());
        }
    }

    /**
     * Why the flag was raised.
     *
     * @return null while it is not
     */
    public Throwable cause() {
        return cause;
    }
}
