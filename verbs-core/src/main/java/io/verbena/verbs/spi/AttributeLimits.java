package io.verbena.verbs.spi;

import io.verbena.verbs.Access;
import io.verbena.verbs.AddressVector;
import io.verbena.verbs.Context;
import io.verbena.verbs.DeviceLimit;
import io.verbena.verbs.Errno;
import io.verbena.verbs.Gid;
import io.verbena.verbs.Mtu;
import io.verbena.verbs.PortAttributes;
import io.verbena.verbs.QueuePairAttribute;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.VerbsException;

/** Checks the values of one set of queue pair attributes against device and port; made for one check. */
final class AttributeLimits {
    private static final int MAX_5_BITS = 31;
    private static final int MAX_3_BITS = 7;
    private static final int MAX_8_BITS = 0xFF;
    private static final int MAX_20_BITS = 0xF_FFFF;
    private static final int MAX_24_BITS = 0xFF_FFFF;
    private static final int ACCESS_FLAGS = Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ
            | Access.REMOTE_ATOMIC | Access.MW_BIND | Access.FLUSH_GLOBAL | Access.FLUSH_PERSISTENT;

    private final QueuePairAttributes attributes;
    private final Context context;

    AttributeLimits(QueuePairAttributes attributes, Context context) {
        this.attributes = attributes;
        this.context = context;
    }

    /**
     * Checks every attribute in the mask.
     *
     * @throws VerbsException EINVAL for the first value that is not allowed
     */
    void check() {
        // Ports first: other attributes are checked against their tables.
        if (has(QueuePairAttribute.PORT)) {
            checkPort("PORT", attributes.port());
        }
        if (has(QueuePairAttribute.AV)) {
            checkAddressVector(attributes.addressVector());
        }
        if (has(QueuePairAttribute.PKEY_INDEX)) {
            int port = has(QueuePairAttribute.PORT) ? attributes.port() : pathPort();
            checkRange("PKEY_INDEX", attributes.pkeyIndex(), context.queryPort(port).pkeyTableLength() - 1L);
        }
        if (has(QueuePairAttribute.PATH_MTU)) {
            checkPathMtu();
        }
        if (has(QueuePairAttribute.ACCESS_FLAGS) && (attributes.accessFlags() & ~ACCESS_FLAGS) != 0) {
            throw VerbsException.invalid("ACCESS_FLAGS", Access.toString(attributes.accessFlags()),
                    Access.toString(ACCESS_FLAGS));
        }
        if (has(QueuePairAttribute.DEST_QPN)) {
            checkRange("DEST_QPN", attributes.destQpNum(), MAX_24_BITS);
        }
        checkTimersAndRetries();
        checkDepths();
    }

    private void checkTimersAndRetries() {
        if (has(QueuePairAttribute.TIMEOUT)) {
            checkRange("TIMEOUT", attributes.timeout(), MAX_5_BITS);
        }
        if (has(QueuePairAttribute.RETRY_CNT)) {
            checkRange("RETRY_CNT", attributes.retryCount(), MAX_3_BITS);
        }
        if (has(QueuePairAttribute.RNR_RETRY)) {
            checkRange("RNR_RETRY", attributes.rnrRetry(), MAX_3_BITS);
        }
        if (has(QueuePairAttribute.MIN_RNR_TIMER)) {
            checkRange("MIN_RNR_TIMER", attributes.minRnrTimer(), MAX_5_BITS);
        }
    }

    private void checkDepths() {
        if (has(QueuePairAttribute.MAX_QP_RD_ATOMIC)) {
            long limit = context.queryDevice().limit(DeviceLimit.MAX_QP_INIT_RD_ATOM);
            checkRange("MAX_QP_RD_ATOMIC", attributes.maxRdAtomic(), limit);
        }
        if (has(QueuePairAttribute.MAX_DEST_RD_ATOMIC)) {
            long limit = context.queryDevice().limit(DeviceLimit.MAX_QP_RD_ATOM);
            checkRange("MAX_DEST_RD_ATOMIC", attributes.maxDestRdAtomic(), limit);
        }
    }

    private void checkAddressVector(AddressVector vector) {
        if (vector == null || vector.dgid() == null || vector.dgid().equals(Gid.ZERO)) {
            throw VerbsException.invalid("AV", vector, "an address vector with the peer's GID, which is not zero");
        }
        if (vector.dgid().toInetAddress().isMulticastAddress()) {
            throw VerbsException.invalid("AV", vector,
                    "the GID of one peer, since a connection has two ends; UD queue pairs reach multicast groups");
        }
        checkPort("AV port", vector.port());
        checkRange("AV sgidIndex", vector.sgidIndex(), context.queryPort(vector.port()).gidTableLength() - 1L);
        checkOwnGid(vector.port(), vector.sgidIndex());
        checkRange("AV hopLimit", vector.hopLimit(), MAX_8_BITS);
        checkRange("AV trafficClass", vector.trafficClass(), MAX_8_BITS);
        checkRange("AV flowLabel", vector.flowLabel(), MAX_20_BITS);
    }

    private void checkOwnGid(int port, int index) {
        boolean empty;
        try {
            empty = context.queryGid(port, index).gid().equals(Gid.ZERO);
        } catch (VerbsException e) {
            if (e.errno() != Errno.ENODATA) {
                throw e;
            }
            empty = true;
        }
        if (empty) {
            throw VerbsException.invalid("AV sgidIndex", index,
                    "a filled entry of port " + port + "'s GID table, see Context.queryGidTable");
        }
    }

    private void checkPathMtu() {
        Mtu active = context.queryPort(pathPort()).activeMtu();
        if (attributes.pathMtu().bytes() > active.bytes()) {
            throw VerbsException.invalid("PATH_MTU", attributes.pathMtu(), "up to the port's active MTU, " + active);
        }
    }

    /** The port that packets to the peer leave by. */
    private int pathPort() {
        if (has(QueuePairAttribute.AV)) {
            return attributes.addressVector().port();
        }
        return has(QueuePairAttribute.PORT) ? attributes.port() : 1;
    }

    private void checkPort(String name, int port) {
        long ports = context.queryDevice().limit(DeviceLimit.PHYS_PORT_CNT);
        if (port < 1 || port > ports) {
            throw VerbsException.invalid(name, port, "1 to " + ports);
        }
    }

    private static void checkRange(String name, int value, long max) {
        if (value < 0 || value > max) {
            throw VerbsException.invalid(name, value, "0 to " + max);
        }
    }

    private boolean has(QueuePairAttribute attribute) {
        return (attributes.mask() & attribute.mask()) != 0;
    }
}
