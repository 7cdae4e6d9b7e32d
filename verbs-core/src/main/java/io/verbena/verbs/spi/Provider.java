package io.verbena.verbs.spi;

import io.verbena.verbs.Context;
import io.verbena.verbs.Device;
import io.verbena.verbs.DeviceSpec;
import java.util.List;

/**
 * A source of devices, found by {@link java.util.ServiceLoader}. Implementations are cheap to construct and keep
 * their state elsewhere: one is made for every look-up. All methods are safe from any thread.
 */
public interface Provider {
    /**
     * The provider's name.
     *
     * @return short, lower case, for example {@code soft}
     */
    String name();

    /**
     * The devices there are now.
     *
     * @return may be empty
     */
    List<Device> devices();

    /**
     * Whether a name in a specification is meant for this provider.
     *
     * @param name what comes before the question mark
     * @return true for the provider's own name and those of its devices
     */
    boolean knows(String name);

    /**
     * Opens a device.
     *
     * @param spec a name that this provider knows, and settings
     * @return a new context
     * @throws io.verbena.verbs.VerbsException EINVAL for a setting or value that is not allowed, naming those that are
     */
    Context open(DeviceSpec spec);
}
