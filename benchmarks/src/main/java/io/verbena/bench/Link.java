package io.verbena.bench;

import java.util.Locale;

/** The path between the two ends of a test. */
public enum Link {
    /** Both ends are in this process. */
    LOOPBACK,
    /** The ends are in two processes of one user on this host, which share memory. */
    SHM,
    /** The ends send each other RoCEv2 packets over UDP, from any host to any other. */
    UDP;

    /**
     * How users write it.
     *
     * @return for example {@code shm}
     */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
