package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Access;
import io.verbena.verbs.AddressVector;
import io.verbena.verbs.DeviceLimit;
import io.verbena.verbs.Gid;
import io.verbena.verbs.Mtu;
import io.verbena.verbs.PortAttributes;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.Threading;
import io.verbena.verbs.tck.peer.LinkSpec;
import io.verbena.verbs.tck.peer.QueuePairSpec;
import io.verbena.verbs.tck.peer.Station;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Values of attributes: what is out of range is refused and changes nothing, what is in range is read back. */
@DisplayName("C01 attribute values")
@Timeout(60)
class AttributeValuesC01Test {
    private final Station station = new Station();
    private QueuePair qp;

    @BeforeEach
    void create() {
        var cq = station.completionQueue(16, false, Threading.SAFE);
        qp = station.queuePair(new QueuePairSpec().depth(8, 8), cq, cq);
    }

    @AfterEach
    void close() {
        station.close();
    }

    /**
     * A wrong value.
     *
     * @param name of the attribute
     * @param change puts it into otherwise valid attributes
     */
    record Wrong(String name, UnaryOperator<QueuePairAttributes> change) {
        @Override
        public String toString() {
            return name;
        }
    }

    private QueuePairEndpoint peer() {
        return new QueuePairEndpoint(station.gid(), 0x123, 0x456);
    }

    static List<Wrong> wrongAtInit() {
        return List.of(
                new Wrong("port 0", a -> a.port(0)),
                new Wrong("port 2 of one", a -> a.port(200)),
                new Wrong("pkeyIndex -1", a -> a.pkeyIndex(-1)),
                new Wrong("pkeyIndex beyond the table", a -> a.pkeyIndex(1 << 16)),
                new Wrong("access bit 31", a -> a.accessFlags(1 << 31)),
                new Wrong("access bit 15", a -> a.accessFlags(1 << 15)));
    }

    @ParameterizedTest
    @MethodSource("wrongAtInit")
    void wrongValueAtInitIsRefused(Wrong wrong) {
        TransitionsC01Test.refuses(qp, wrong.change().apply(QueuePairAttributes.init(1, 0)));
    }

    static List<Wrong> wrongAtRtr() {
        Gid gid = new Gid(0x2001L << 48, 1);
        return List.of(
                new Wrong("minRnrTimer 32", a -> a.minRnrTimer(32)),
                new Wrong("minRnrTimer -1", a -> a.minRnrTimer(-1)),
                new Wrong("maxDestRdAtomic -1", a -> a.maxDestRdAtomic(-1)),
                new Wrong("maxDestRdAtomic huge", a -> a.maxDestRdAtomic(1 << 20)),
                new Wrong("destQpNum of 25 bits", a -> a.destQpNum(1 << 24)),
                new Wrong("destQpNum -1", a -> a.destQpNum(-1)),
                new Wrong("sgidIndex -1", a -> a.addressVector(new AddressVector(gid, -1, 1, 64, 0, 0))),
                new Wrong("sgidIndex huge", a -> a.addressVector(new AddressVector(gid, 1 << 20, 1, 64, 0, 0))),
                new Wrong("dgid zero", a -> a.addressVector(new AddressVector(Gid.ZERO, 0, 1, 64, 0, 0))),
                new Wrong("dgid multicast", a -> a.addressVector(AddressVector.to(new Gid(0xFF0EL << 48, 5)))),
                new Wrong("dgid IPv4 multicast",
                        a -> a.addressVector(AddressVector.to(new Gid(0, 0xFFFF_0000_0000L | 0xEF01_0203L)))),
                new Wrong("AV port 0", a -> a.addressVector(new AddressVector(gid, 0, 0, 64, 0, 0))),
                new Wrong("AV port 9", a -> a.addressVector(new AddressVector(gid, 0, 9, 64, 0, 0))));
    }

    @ParameterizedTest
    @MethodSource("wrongAtRtr")
    void wrongValueAtRtrIsRefused(Wrong wrong) {
        qp.modify(QueuePairAttributes.init(1, 0));
        TransitionsC01Test.refuses(qp, wrong.change().apply(new LinkSpec().rtr(peer())));
    }

    static List<Wrong> wrongAtRts() {
        return List.of(
                new Wrong("timeout 32", a -> a.timeout(32)),
                new Wrong("timeout -1", a -> a.timeout(-1)),
                new Wrong("retryCount 8", a -> a.retryCount(8)),
                new Wrong("retryCount -1", a -> a.retryCount(-1)),
                new Wrong("rnrRetry 8", a -> a.rnrRetry(8)),
                new Wrong("rnrRetry -1", a -> a.rnrRetry(-1)),
                new Wrong("maxRdAtomic -1", a -> a.maxRdAtomic(-1)),
                new Wrong("maxRdAtomic huge", a -> a.maxRdAtomic(1 << 20)),
                new Wrong("currentState RTS in RTR", a -> a.currentState(QueuePairState.RTS)));
    }

    @ParameterizedTest
    @MethodSource("wrongAtRts")
    void wrongValueAtRtsIsRefused(Wrong wrong) {
        qp.modify(QueuePairAttributes.init(1, 0));
        qp.modify(new LinkSpec().rtr(peer()));
        TransitionsC01Test.refuses(qp, wrong.change().apply(new LinkSpec().rts()));
    }

    @Test
    void pathMtuAboveThePortsIsRefused() {
        PortAttributes port = station.context().queryPort(1);
        Assumptions.assumeTrue(port.activeMtu() != Mtu.MTU_4096, "optional: the port takes every path MTU");
        qp.modify(QueuePairAttributes.init(1, 0));
        TransitionsC01Test.refuses(qp, new LinkSpec().mtu(Mtu.MTU_4096).rtr(peer()));
    }

    @Test
    void depthsOfReadsAreLimitedByTheDevice() {
        long initiator = station.context().queryDevice().limit(DeviceLimit.MAX_QP_INIT_RD_ATOM);
        long target = station.context().queryDevice().limit(DeviceLimit.MAX_QP_RD_ATOM);
        qp.modify(QueuePairAttributes.init(1, 0));
        TransitionsC01Test.refuses(qp, new LinkSpec().rtr(peer()).maxDestRdAtomic((int) target + 1));
        qp.modify(new LinkSpec().rtr(peer()).maxDestRdAtomic((int) target));
        TransitionsC01Test.refuses(qp, new LinkSpec().rts().maxRdAtomic((int) initiator + 1));
        qp.modify(new LinkSpec().rts().maxRdAtomic((int) initiator));
    }

    @Test
    void newQueuePairIsInResetWithItsSizes() {
        QueuePairAttributes now = qp.query();
        assertEquals(QueuePairState.RESET, now.state());
        assertEquals(qp.capabilities(), now.capabilities());
        assertTrue(qp.qpNum() > 1 && qp.qpNum() < 0xFF_FFFF, "24 bits, not reserved: " + qp.qpNum());
    }

    @Test
    void queryReadsBackWhatWasSet() {
        int access = Access.REMOTE_READ | Access.REMOTE_WRITE;
        qp.modify(QueuePairAttributes.init(1, access));
        qp.modify(new LinkSpec().mtu(Mtu.MTU_2048).minRnrTimer(17).rdAtomic(3, 5).rtr(peer()));
        qp.modify(new LinkSpec().psn(0xABCDEF).retry(19, 6).rnrRetry(5).rdAtomic(3, 5).rts());
        QueuePairAttributes now = qp.query();
        assertEquals(QueuePairState.RTS, now.state());
        assertEquals(access, now.accessFlags());
        assertEquals(Mtu.MTU_2048, now.pathMtu());
        assertEquals(AddressVector.to(station.gid()), now.addressVector());
        assertEquals(List.of(1, 0x123, 0x456, 0xABCDEF),
                List.of(now.port(), now.destQpNum(), now.rqPsn(), now.sqPsn()));
        assertEquals(List.of(17, 19, 6, 5),
                List.of(now.minRnrTimer(), now.timeout(), now.retryCount(), now.rnrRetry()));
        assertTrue(now.maxRdAtomic() >= 3 && now.maxDestRdAtomic() >= 5, now.toString());
    }

    @Test
    void packetSequenceNumbersCountTheirLow24Bits() {
        qp.modify(QueuePairAttributes.init(1, 0));
        qp.modify(new LinkSpec().rtr(peer()).rqPsn(0x7FFF_FFFF));
        assertEquals(0xFF_FFFF, qp.query().rqPsn());
    }

    @Test
    void resetForgetsEverything() {
        String fresh = StateDriver.snapshot(qp);
        StateDriver.bring(qp, station.gid(), QueuePairState.RTS);
        qp.modify(QueuePairAttributes.toState(QueuePairState.RESET));
        assertEquals(QueuePairState.RESET, qp.state());
        assertEquals(0, qp.query().sqPsn());
        assertEquals(0, qp.query().rqPsn());
        assertTrue(fresh.startsWith("RESET"), fresh);
    }

    static Stream<QueuePairState> states() {
        return TransitionTable.REACHABLE.stream();
    }

    @ParameterizedTest
    @MethodSource("states")
    void queryTellsTheStateInEveryState(QueuePairState state) {
        StateDriver.bring(qp, station.gid(), state);
        assertEquals(state, qp.state());
        assertEquals(state, qp.query().state());
    }
}
