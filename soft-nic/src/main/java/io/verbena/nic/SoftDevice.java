package io.verbena.nic;

import io.verbena.verbs.Context;
import io.verbena.verbs.Device;
import io.verbena.verbs.DeviceSpec;
import java.util.Map;

/** A software NIC by name; the NIC itself exists while a context is open. */
record SoftDevice(String name) implements Device {
    /** A locally administered EUI-64, as nobody has given this one out. */
    private static final long GUID_PREFIX = 0x02L << 56;

    @Override
    public String provider() {
        return "soft";
    }

    @Override
    public long nodeGuid() {
        return GUID_PREFIX | Nics.JVM_BITS << 8 | Integer.parseInt(name.substring("soft".length())) + 1;
    }

    @Override
    public Context open() {
        return open(NicConfig.of(new DeviceSpec(name, Map.of())));
    }

    Context open(NicConfig config) {
        return Nics.open(this, config);
    }
}
