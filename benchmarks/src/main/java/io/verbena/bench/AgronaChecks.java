package io.verbena.bench;

/** Switches the bounds checks of Agrona's buffers off, as who measures them does, unless the user has decided. */
final class AgronaChecks {
    private static final String DISABLE = "agrona.disable.bounds.checks";

    private AgronaChecks() {}

    /** Has an effect before the first buffer is made. */
    static void off() {
        if (System.getProperty(DISABLE) == null) {
            System.setProperty(DISABLE, "true");
        }
    }
}
