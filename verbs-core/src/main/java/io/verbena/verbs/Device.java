package io.verbena.verbs;

/** A device that a provider offers (ibv_get_device_list(3)). Immutable; safe from any thread. */
public interface Device {
    /**
     * The device's name, unique in this JVM.
     *
     * @return for example {@code soft0}
     */
    String name();

    /**
     * The provider's name, as used in {@link Devices#open(String)}.
     *
     * @return for example {@code soft}
     */
    String provider();

    /**
     * The node GUID.
     *
     * @return 8 bytes as a long, never 0
     */
    long nodeGuid();

    /**
     * Opens the device (ibv_open_device(3)).
     *
     * @return a new context; the caller closes it
     * @throws VerbsException when the device can't be opened
     */
    Context open();
}
