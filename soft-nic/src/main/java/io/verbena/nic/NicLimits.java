package io.verbena.nic;

import io.verbena.nic.ring.SharedQueue;
import io.verbena.verbs.DeviceAttributes;
import io.verbena.verbs.DeviceAttributes.AtomicCapability;
import io.verbena.verbs.DeviceCapability;
import io.verbena.verbs.DeviceLimit;
import io.verbena.verbs.Mtu;
import io.verbena.verbs.PortAttributes;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;

/** What every software NIC can do. */
final class NicLimits {
    /** The only port. */
    static final int PORT = 1;
    /** Regions; each takes two keys. */
    static final int MAX_MR = 32_768;
    /** Memory windows; each takes one key. */
    static final int MAX_MW = 65_536;
    /** The only partition key. */
    static final int DEFAULT_PKEY = 0xFFFF;

    private static final long MAX_MESSAGE = 1L << 31;
    private static final int VENDOR_ID = 0xFF_FFFF;
    private static final int GID_TABLE = 16;
    private static final Map<DeviceLimit, Long> LIMITS = limits();

    private NicLimits() {}

    private static Map<DeviceLimit, Long> limits() {
        Map<DeviceLimit, Long> limits = new EnumMap<>(DeviceLimit.class);
        limits.put(DeviceLimit.MAX_MR_SIZE, 1L << 46);
        limits.put(DeviceLimit.PAGE_SIZE_CAP, 0x1000L);
        limits.put(DeviceLimit.MAX_QP, 131_072L);
        limits.put(DeviceLimit.MAX_QP_WR, 65_536L);
        limits.put(DeviceLimit.MAX_SGE, 32L);
        limits.put(DeviceLimit.MAX_SGE_RD, 32L);
        limits.put(DeviceLimit.MAX_CQ, 131_072L);
        limits.put(DeviceLimit.MAX_CQE, 1L << 22);
        limits.put(DeviceLimit.MAX_MR, (long) MAX_MR);
        limits.put(DeviceLimit.MAX_MW, (long) MAX_MW);
        limits.put(DeviceLimit.MAX_PD, 32_768L);
        limits.put(DeviceLimit.MAX_QP_RD_ATOM, 128L);
        limits.put(DeviceLimit.MAX_RES_RD_ATOM, 128L * 131_072);
        limits.put(DeviceLimit.MAX_QP_INIT_RD_ATOM, 128L);
        limits.put(DeviceLimit.MAX_MCAST_GRP, 4_096L);
        limits.put(DeviceLimit.MAX_MCAST_QP_ATTACH, 256L);
        limits.put(DeviceLimit.MAX_AH, 65_536L);
        limits.put(DeviceLimit.MAX_SRQ, 32_768L);
        limits.put(DeviceLimit.MAX_SRQ_WR, (long) SharedQueue.MAX_PLACES);
        limits.put(DeviceLimit.MAX_SRQ_SGE, 32L);
        limits.put(DeviceLimit.MAX_PKEYS, 1L);
        limits.put(DeviceLimit.LOCAL_CA_ACK_DELAY, 15L);
        limits.put(DeviceLimit.MAX_INLINE_DATA, 1024L);
        limits.put(DeviceLimit.NUM_COMP_VECTORS, (long) Runtime.getRuntime().availableProcessors());
        limits.put(DeviceLimit.PHYS_PORT_CNT, 1L);
        return limits;
    }

    static long limit(DeviceLimit kind) {
        return LIMITS.getOrDefault(kind, 0L);
    }

    static DeviceAttributes device(SoftDevice device, boolean multicast) {
        Map<DeviceLimit, Long> limits = new EnumMap<>(LIMITS);
        if (!multicast) {
            limits.put(DeviceLimit.MAX_MCAST_GRP, 0L);
            limits.put(DeviceLimit.MAX_MCAST_QP_ATTACH, 0L);
        }
        return new DeviceAttributes("verbena", device.nodeGuid(), VENDOR_ID, 0, AtomicCapability.GLOB,
                EnumSet.of(DeviceCapability.PORT_ACTIVE_EVENT, DeviceCapability.RC_RNR_NAK_GEN,
                        DeviceCapability.SRQ_RESIZE, DeviceCapability.MEM_MGT_EXTENSIONS,
                        DeviceCapability.MEM_WINDOW, DeviceCapability.MEM_WINDOW_TYPE_2B), limits);
    }

    static PortAttributes port() {
        return port(Mtu.MTU_4096.bytes());
    }

    /** The port when packets are limited to a payload. */
    static PortAttributes port(int mtuBytes) {
        return new PortAttributes(PortAttributes.State.ACTIVE, Mtu.MTU_4096, mtu(mtuBytes), GID_TABLE, 1, MAX_MESSAGE,
                PortAttributes.LinkLayer.ETHERNET);
    }

    private static Mtu mtu(int bytes) {
        for (Mtu mtu : Mtu.values()) {
            if (mtu.bytes() == bytes) {
                return mtu;
            }
        }
        throw new IllegalArgumentException(bytes + " bytes are no path MTU");
    }
}
