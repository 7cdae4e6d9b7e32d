package io.verbena.verbs;

import io.verbena.verbs.spi.Provider;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Collectors;

/**
 * Where everything starts: lists the devices of all providers found by ServiceLoader, and opens one by name, so that
 * programs never import a provider. Safe from any thread.
 */
public final class Devices {
    private Devices() {}

    /**
     * All devices of all providers (ibv_get_device_list(3)).
     *
     * @return in the providers' order; empty when there is none
     */
    public static List<Device> list() {
        List<Device> devices = new ArrayList<>();
        for (Provider provider : ServiceLoader.load(Provider.class)) {
            devices.addAll(provider.devices());
        }
        return List.copyOf(devices);
    }

    /**
     * Opens a device.
     *
     * @param specification {@code NAME} or {@code NAME?key=value&key=value}, where NAME is a provider's name (its first
     *     device) or a device's name; see {@link DeviceSpec}. The provider documents its keys
     * @return a new context; the caller closes it
     * @throws VerbsException ENODEV when no provider knows the name, EINVAL for a setting that is not allowed
     */
    public static Context open(String specification) {
        DeviceSpec spec = DeviceSpec.parse(specification);
        List<Provider> providers = new ArrayList<>();
        ServiceLoader.load(Provider.class).forEach(providers::add);
        for (Provider provider : providers) {
            if (provider.knows(spec.name())) {
                return provider.open(spec);
            }
        }
        String known = providers.isEmpty()
                ? "no provider is on the class path; add verbena's soft-nic"
                : "known: " + providers.stream().map(Devices::names).collect(Collectors.joining(", "));
        throw new VerbsException(Errno.ENODEV, "name", "no device named \"" + spec.name() + "\"; " + known);
    }

    private static String names(Provider provider) {
        String devices = provider.devices().stream().map(Device::name).collect(Collectors.joining(", "));
        return devices.isEmpty() ? provider.name() : provider.name() + " (" + devices + ")";
    }
}
