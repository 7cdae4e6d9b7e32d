package io.verbena.nic.os;

/** Says that something has failed by a thread that goes on all the same. */
public final class Report {
    private static final System.Logger LOG = System.getLogger("io.verbena.nic");

    private Report() {}

    /** Loads what a report takes, while there are memory and descriptors for it. */
    public static void prepare() {
        LOG.isLoggable(System.Logger.Level.ERROR);
    }

    /**
     * Logs an error, and never fails: where there is no memory even for words, nothing is said.
     *
     * @param who whose thread
     * @param what has happened to it
     * @param error why
     */
    public static void failure(Object who, String what, Throwable error) {
        try {
            LOG.log(System.Logger.Level.ERROR, who + " " + what, error);
        } catch (Throwable none) {
            // Whoever ends now would do more harm than who is silent.
        }
    }
}
