package io.verbena.verbs.spi;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Access;
import io.verbena.verbs.AddressVector;
import io.verbena.verbs.Context;
import io.verbena.verbs.DeviceAttributes;
import io.verbena.verbs.DeviceLimit;
import io.verbena.verbs.Errno;
import io.verbena.verbs.Gid;
import io.verbena.verbs.GidEntry;
import io.verbena.verbs.Mtu;
import io.verbena.verbs.PortAttributes;
import io.verbena.verbs.QueuePairAttribute;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.VerbsException;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The values of queue pair attributes against a device with two ports, each at and beyond its limits. */
@Timeout(30)
class AttributeLimitsTest {
    private static final Gid PEER = new Gid(0, 0xFFFF_0A00_0001L);
    private static final int INITIATOR_DEPTH = 8;
    private static final int TARGET_DEPTH = 4;

    /** Port 1: MTU 1024, one partition key, GIDs 0 and 2 of 3. Port 2: MTU 4096, five partition keys, no GID. */
    private final Context context = (Context) Proxy.newProxyInstance(
            Context.class.getClassLoader(), new Class<?>[] {Context.class}, (proxy, method, args) ->
                    switch (method.getName()) {
                        case "queryDevice" -> new DeviceAttributes("", 1, 0, 0,
                                DeviceAttributes.AtomicCapability.HCA, Set.of(),
                                Map.of(DeviceLimit.PHYS_PORT_CNT, 2L,
                                        DeviceLimit.MAX_QP_INIT_RD_ATOM, (long) INITIATOR_DEPTH,
                                        DeviceLimit.MAX_QP_RD_ATOM, (long) TARGET_DEPTH));
                        case "queryPort" -> port((int) args[0]);
                        case "queryGid" -> gid((int) args[0], (int) args[1]);
                        default -> throw new UnsupportedOperationException(method.getName());
                    });

    private static PortAttributes port(int port) {
        return new PortAttributes(PortAttributes.State.ACTIVE, Mtu.MTU_4096,
                port == 1 ? Mtu.MTU_1024 : Mtu.MTU_4096, 3, port == 1 ? 1 : 5, 1L << 31,
                PortAttributes.LinkLayer.ETHERNET);
    }

    private static GidEntry gid(int port, int index) {
        if (port == 2 || index == 1) {
            throw new VerbsException(Errno.ENODATA, "index", "empty");
        }
        return new GidEntry(index == 0 ? PEER : Gid.ZERO, index, port, GidEntry.Type.ROCE_V2, "eth0");
    }

    private void accepts(Consumer<QueuePairAttributes> change) {
        QueuePairAttributes attributes = new QueuePairAttributes();
        change.accept(attributes);
        assertDoesNotThrow(() -> QueuePairTransitions.checkValues(attributes, context), attributes::toString);
    }

    private void refuses(String argument, Consumer<QueuePairAttributes> change) {
        QueuePairAttributes attributes = new QueuePairAttributes();
        change.accept(attributes);
        VerbsException e = assertThrows(VerbsException.class,
                () -> QueuePairTransitions.checkValues(attributes, context), attributes::toString);
        assertEquals(Errno.EINVAL, e.errno());
        assertEquals(argument, e.argument());
        assertTrue(e.getMessage().contains("allowed:"), e.getMessage());
        attributes.mask(0);
        assertDoesNotThrow(() -> QueuePairTransitions.checkValues(attributes, context), "not in the mask");
    }

    private static AddressVector vector(int index, int port) {
        return new AddressVector(PEER, index, port, 64, 0, 0);
    }

    @Test
    void acceptsTheUsualValues() {
        QueuePairEndpoint peer = new QueuePairEndpoint(PEER, 17, 0);
        QueuePairTransitions.checkValues(QueuePairAttributes.init(1, Access.REMOTE_WRITE), context);
        QueuePairTransitions.checkValues(
                QueuePairAttributes.readyToReceive(peer).maxDestRdAtomic(TARGET_DEPTH), context);
        QueuePairTransitions.checkValues(
                QueuePairAttributes.readyToSend(0).maxRdAtomic(INITIATOR_DEPTH), context);
    }

    @Test
    void checksTimersAndRetries() {
        for (int value : new int[] {0, 1, 31}) {
            accepts(a -> a.timeout(value));
            accepts(a -> a.minRnrTimer(value));
        }
        for (int value : new int[] {-1, 32, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
            refuses("TIMEOUT", a -> a.timeout(value));
            refuses("MIN_RNR_TIMER", a -> a.minRnrTimer(value));
        }
        for (int value = 0; value <= 7; value++) {
            int count = value;
            accepts(a -> a.retryCount(count));
            accepts(a -> a.rnrRetry(count));
        }
        for (int value : new int[] {-1, 8}) {
            refuses("RETRY_CNT", a -> a.retryCount(value));
            refuses("RNR_RETRY", a -> a.rnrRetry(value));
        }
    }

    @Test
    void checksDepthsAgainstTheDevice() {
        accepts(a -> a.maxRdAtomic(0));
        accepts(a -> a.maxRdAtomic(INITIATOR_DEPTH));
        refuses("MAX_QP_RD_ATOMIC", a -> a.maxRdAtomic(INITIATOR_DEPTH + 1));
        refuses("MAX_QP_RD_ATOMIC", a -> a.maxRdAtomic(-1));
        accepts(a -> a.maxDestRdAtomic(0));
        accepts(a -> a.maxDestRdAtomic(TARGET_DEPTH));
        refuses("MAX_DEST_RD_ATOMIC", a -> a.maxDestRdAtomic(TARGET_DEPTH + 1));
        refuses("MAX_DEST_RD_ATOMIC", a -> a.maxDestRdAtomic(-1));
    }

    @Test
    void checksPortsAndTheirPartitionKeys() {
        accepts(a -> a.port(1));
        accepts(a -> a.port(2));
        refuses("PORT", a -> a.port(0));
        refuses("PORT", a -> a.port(3));
        refuses("PORT", a -> a.port(-1));
        accepts(a -> a.pkeyIndex(0));
        refuses("PKEY_INDEX", a -> a.pkeyIndex(1));
        refuses("PKEY_INDEX", a -> a.pkeyIndex(-1));
        accepts(a -> a.port(2).pkeyIndex(4));
        refuses("PKEY_INDEX", a -> a.port(2).pkeyIndex(5));
    }

    @Test
    void checksThePathMtuAgainstThePort() {
        accepts(a -> a.pathMtu(Mtu.MTU_1024));
        refuses("PATH_MTU", a -> a.pathMtu(Mtu.MTU_2048));
        accepts(a -> a.port(2).pathMtu(Mtu.MTU_4096));
        refuses("PATH_MTU", a -> a.port(2).addressVector(vector(0, 1)).pathMtu(Mtu.MTU_4096));
    }

    @Test
    void checksTheAddressVector() {
        accepts(a -> a.addressVector(vector(0, 1)));
        refuses("AV", a -> a.addressVector(AddressVector.to(Gid.ZERO)));
        refuses("AV", a -> a.addressVector(AddressVector.to(null)));
        refuses("AV", a -> a.mask(QueuePairAttribute.AV.mask()));
        refuses("AV port", a -> a.addressVector(vector(0, 0)));
        refuses("AV port", a -> a.addressVector(vector(0, 3)));
        refuses("AV sgidIndex", a -> a.addressVector(vector(-1, 1)));
        refuses("AV sgidIndex", a -> a.addressVector(vector(3, 1)));
        refuses("AV sgidIndex", a -> a.addressVector(vector(1, 1)));
        refuses("AV sgidIndex", a -> a.addressVector(vector(2, 1)));
        refuses("AV sgidIndex", a -> a.addressVector(vector(0, 2)));
        accepts(a -> a.addressVector(new AddressVector(PEER, 0, 1, 255, 255, 0xFFFFF)));
        refuses("AV hopLimit", a -> a.addressVector(new AddressVector(PEER, 0, 1, 256, 0, 0)));
        refuses("AV trafficClass", a -> a.addressVector(new AddressVector(PEER, 0, 1, 1, -1, 0)));
        refuses("AV flowLabel", a -> a.addressVector(new AddressVector(PEER, 0, 1, 1, 0, 0x100000)));
    }

    @Test
    void checksThePeersNumberAndTheAccessFlags() {
        accepts(a -> a.destQpNum(0xFF_FFFF));
        refuses("DEST_QPN", a -> a.destQpNum(0x100_0000));
        refuses("DEST_QPN", a -> a.destQpNum(-1));
        int allowed = Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC
                | Access.MW_BIND | Access.FLUSH_GLOBAL | Access.FLUSH_PERSISTENT;
        accepts(a -> a.accessFlags(0));
        accepts(a -> a.accessFlags(allowed));
        for (int bit = 0; bit < Integer.SIZE; bit++) {
            int flag = 1 << bit;
            if ((allowed & flag) == 0) {
                refuses("ACCESS_FLAGS", a -> a.accessFlags(flag));
            } else {
                accepts(a -> a.accessFlags(flag));
            }
        }
    }
}
