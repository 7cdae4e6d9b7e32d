package io.verbena.verbs;

import java.util.Map;
import java.util.Set;

/**
 * What a device is and can do (struct ibv_device_attr). Immutable.
 *
 * @param firmwareVersion free text
 * @param nodeGuid never 0
 * @param vendorId 24-bit IEEE id
 * @param vendorPartId the vendor's own
 * @param atomicCapability what atomics are atomic against
 * @param capabilities what the device can do beyond the basics
 * @param limits every {@link DeviceLimit}; absent ones are 0
 */
public record DeviceAttributes(
        String firmwareVersion,
        long nodeGuid,
        int vendorId,
        int vendorPartId,
        AtomicCapability atomicCapability,
        Set<DeviceCapability> capabilities,
        Map<DeviceLimit, Long> limits) {
    /** What atomics are atomic against, with the names of libibverbs. */
    public enum AtomicCapability {
        /** No atomics. */
        NONE,
        /** Against other atomics of the same device. */
        HCA,
        /** Against every access of the machine, CPU atomics included. */
        GLOB
    }

    /** Copies the collections. */
    public DeviceAttributes {
        capabilities = Set.copyOf(capabilities);
        limits = Map.copyOf(limits);
    }

    /**
     * One limit.
     *
     * @param limit which
     * @return its value; 0 when the device has none of these objects
     */
    public long limit(DeviceLimit limit) {
        return limits.getOrDefault(limit, 0L);
    }
}
