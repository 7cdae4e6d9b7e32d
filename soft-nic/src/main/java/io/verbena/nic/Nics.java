package io.verbena.nic;

import io.verbena.nic.direct.Fabric;
import io.verbena.nic.link.CountedLink;
import io.verbena.nic.memory.OffHeap;
import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** The software NICs that are open in this JVM: one for each device name, shared by its contexts. */
final class Nics {
    /** Tells the NICs of different JVMs apart: so many random bits that no two of a host ever have the same. */
    static final long JVM_BITS = new SecureRandom().nextLong(1L << 48);

    private static final Map<String, SoftNic> OPEN = new HashMap<>();

    private Nics() {}

    static SoftContext open(SoftDevice device, NicConfig config) {
        return open(device, config, () -> config.wire() == null ? null : config.wire().open());
    }

    /** The same over another link than the settings name, if the NIC is not open yet. */
    static SoftContext open(SoftDevice device, NicConfig config, Supplier<CountedLink> link) {
        OffHeap.requireRawAccess();
        ReentrantLock lock = Fabric.LOCAL.controlLock();
        lock.lock();
        try {
            SoftNic nic = OPEN.get(device.name());
            if (nic == null) {
                nic = new SoftNic(device, config, link);
                OPEN.put(device.name(), nic);
            } else if (!nic.config().equals(config)) {
                throw new VerbsException(Errno.EEXIST, "settings", device.name() + " is open with " + nic.config()
                        + "; use the same settings or another of soft0 to soft15");
            }
            return nic.newContext();
        } finally {
            lock.unlock();
        }
    }

    /** Called with the control lock held, when the last context of a NIC is closed. */
    static void closed(SoftNic nic) {
        OPEN.remove(nic.device().name());
    }
}
