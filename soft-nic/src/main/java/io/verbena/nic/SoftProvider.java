package io.verbena.nic;

import io.verbena.verbs.Context;
import io.verbena.verbs.Device;
import io.verbena.verbs.DeviceSpec;
import io.verbena.verbs.spi.Provider;
import java.util.List;

/** Offers the software NICs {@code soft0} to {@code soft15}; {@code soft} means soft0. */
public final class SoftProvider implements Provider {
    private static final String NAME = "soft";
    private static final String FIRST = "soft0";

    /** Called by ServiceLoader. */
    public SoftProvider() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<Device> devices() {
        return List.of(new SoftDevice(FIRST));
    }

    @Override
    public boolean knows(String name) {
        return name.equals(NAME) || name.matches("soft([0-9]|1[0-5])");
    }

    @Override
    public Context open(DeviceSpec spec) {
        String name = spec.name().equals(NAME) ? FIRST : spec.name();
        return new SoftDevice(name).open(NicConfig.of(spec));
    }
}
