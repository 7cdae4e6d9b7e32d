package io.verbena.sim;

import java.util.Locale;

/** The transport services that are simulated. */
public enum Service {
    /** Reliable connections. */
    RC,
    /** Unreliable connections. */
    UC,
    /** Datagrams. */
    UD;

    /** The name as an option has it. */
    public String option() {
        return name().toLowerCase(Locale.ROOT);
    }
}
