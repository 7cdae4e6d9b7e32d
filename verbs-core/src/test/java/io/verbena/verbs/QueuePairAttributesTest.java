package io.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.spi.QueuePairTransitions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The mask that setters build up, and copies of values and mask. */
@Timeout(10)
class QueuePairAttributesTest {
    private static final AddressVector VECTOR = AddressVector.to(new Gid(1, 2));
    private static final QueuePairEndpoint PEER = new QueuePairEndpoint(new Gid(1, 2), 17, 0xABCDEF);

    /** For one attribute: its bit, how it is set, how it is read, and what is then read. */
    private record Case(
            int bit, Consumer<QueuePairAttributes> set, Function<QueuePairAttributes, Object> get, Object value) {}

    private static Map<QueuePairAttribute, Case> cases() {
        Map<QueuePairAttribute, Case> cases = new LinkedHashMap<>();
        cases.put(QueuePairAttribute.STATE, new Case(0, a -> a.state(QueuePairState.SQD),
                QueuePairAttributes::state, QueuePairState.SQD));
        cases.put(QueuePairAttribute.CUR_STATE, new Case(1, a -> a.currentState(QueuePairState.RTS),
                QueuePairAttributes::currentState, QueuePairState.RTS));
        cases.put(QueuePairAttribute.EN_SQD_ASYNC_NOTIFY, new Case(2, a -> a.sqdAsyncNotify(true),
                QueuePairAttributes::sqdAsyncNotify, true));
        cases.put(QueuePairAttribute.ACCESS_FLAGS, new Case(3, a -> a.accessFlags(6),
                QueuePairAttributes::accessFlags, 6));
        cases.put(QueuePairAttribute.PKEY_INDEX, new Case(4, a -> a.pkeyIndex(3), QueuePairAttributes::pkeyIndex, 3));
        cases.put(QueuePairAttribute.PORT, new Case(5, a -> a.port(2), QueuePairAttributes::port, 2));
        cases.put(QueuePairAttribute.QKEY, new Case(6, a -> a.qkey(-5), QueuePairAttributes::qkey, -5));
        cases.put(QueuePairAttribute.AV, new Case(7, a -> a.addressVector(VECTOR),
                QueuePairAttributes::addressVector, VECTOR));
        cases.put(QueuePairAttribute.PATH_MTU, new Case(8, a -> a.pathMtu(Mtu.MTU_256),
                QueuePairAttributes::pathMtu, Mtu.MTU_256));
        cases.put(QueuePairAttribute.TIMEOUT, new Case(9, a -> a.timeout(11), QueuePairAttributes::timeout, 11));
        cases.put(QueuePairAttribute.RETRY_CNT, new Case(10, a -> a.retryCount(5),
                QueuePairAttributes::retryCount, 5));
        cases.put(QueuePairAttribute.RNR_RETRY, new Case(11, a -> a.rnrRetry(6), QueuePairAttributes::rnrRetry, 6));
        cases.put(QueuePairAttribute.RQ_PSN, new Case(12, a -> a.rqPsn(-1), QueuePairAttributes::rqPsn, 0xFFFFFF));
        cases.put(QueuePairAttribute.MAX_QP_RD_ATOMIC, new Case(13, a -> a.maxRdAtomic(9),
                QueuePairAttributes::maxRdAtomic, 9));
        cases.put(QueuePairAttribute.MIN_RNR_TIMER, new Case(15, a -> a.minRnrTimer(31),
                QueuePairAttributes::minRnrTimer, 31));
        cases.put(QueuePairAttribute.SQ_PSN, new Case(16, a -> a.sqPsn(0x5123_4567),
                QueuePairAttributes::sqPsn, 0x23_4567));
        cases.put(QueuePairAttribute.MAX_DEST_RD_ATOMIC, new Case(17, a -> a.maxDestRdAtomic(12),
                QueuePairAttributes::maxDestRdAtomic, 12));
        cases.put(QueuePairAttribute.DEST_QPN, new Case(20, a -> a.destQpNum(0x11),
                QueuePairAttributes::destQpNum, 0x11));
        return cases;
    }

    @Test
    void theBitsAreThoseOfLibibverbs() {
        assertEquals(21, QueuePairAttribute.values().length);
        cases().forEach((attribute, one) -> assertEquals(1 << one.bit(), attribute.mask(), attribute.name()));
        assertEquals(1 << 14, QueuePairAttribute.ALT_PATH.mask());
        assertEquals(1 << 18, QueuePairAttribute.PATH_MIG_STATE.mask());
        assertEquals(1 << 19, QueuePairAttribute.CAP.mask());
    }

    @Test
    void aSetterSetsItsValueAndItsBitOnly() {
        cases().forEach((attribute, one) -> {
            QueuePairAttributes attributes = new QueuePairAttributes();
            assertEquals(0, attributes.mask());
            one.set().accept(attributes);
            assertEquals(attribute.mask(), attributes.mask(), attribute.name());
            assertEquals(one.value(), one.get().apply(attributes), attribute.name());
        });
    }

    @Test
    void setTakesTheNamedValuesAndLeavesTheMask() {
        QueuePairAttributes full = new QueuePairAttributes();
        cases().values().forEach(one -> one.set().accept(full));
        cases().forEach((attribute, one) -> {
            QueuePairAttributes target = new QueuePairAttributes();
            target.set(full, attribute.mask());
            assertEquals(0, target.mask());
            cases().forEach((other, two) -> assertEquals(
                    two.get().apply(other == attribute ? full : new QueuePairAttributes()),
                    two.get().apply(target), attribute + " " + other));
        });
    }

    @Test
    void aCopyHasEverythingAndIsIndependent() {
        QueuePairAttributes full = new QueuePairAttributes();
        cases().values().forEach(one -> one.set().accept(full));
        full.sqDraining(true).mask(0x1234);
        QueuePairAttributes copy = new QueuePairAttributes(full);
        full.timeout(1).sqDraining(false);
        assertEquals(0x1234, copy.mask());
        assertTrue(copy.sqDraining());
        cases().forEach((attribute, one) -> assertEquals(one.value(), one.get().apply(copy), attribute.name()));
    }

    /** The ready-made attributes for each step of a type, in order. */
    private static List<QueuePairAttributes> steps(QueuePairType type) {
        return switch (type) {
            case RC -> List.of(QueuePairAttributes.init(1, Access.REMOTE_READ),
                    QueuePairAttributes.readyToReceive(PEER), QueuePairAttributes.readyToSend(5));
            case UC -> List.of(QueuePairAttributes.init(1, Access.REMOTE_WRITE),
                    QueuePairAttributes.readyToReceiveUc(PEER), QueuePairAttributes.readyToSendUc(5));
            case UD -> List.of(QueuePairAttributes.initUd(1, 0x1111),
                    QueuePairAttributes.readyToReceiveUd(), QueuePairAttributes.readyToSendUd(5));
        };
    }

    @ParameterizedTest
    @EnumSource
    void theReadyMadeAttributesLeadToRtsWithWhatIsRequiredAndNoMore(QueuePairType type) {
        QueuePairState state = QueuePairState.RESET;
        for (QueuePairAttributes step : steps(type)) {
            QueuePairState next = QueuePairTransitions.check(type, state, step);
            int required = QueuePairTransitions.required(type, state, next) | QueuePairAttribute.STATE.mask();
            assertEquals(QueuePairAttribute.toString(required), QueuePairAttribute.toString(step.mask()));
            state = next;
        }
        assertEquals(QueuePairState.RTS, state);
        assertEquals("STATE", QueuePairAttribute.toString(QueuePairAttributes.toState(QueuePairState.ERR).mask()));
        assertEquals("none", QueuePairAttribute.toString(0));
    }

    @Test
    void theReadyMadeAttributesHaveTheValuesGivenAndTheUsualOnes() {
        assertEquals("state=INIT access=REMOTE_READ port=1 destQpNum=0 pathMtu=MTU_1024 sqPsn=0 rqPsn=0 timeout=0"
                + " retryCount=0 rnrRetry=0 minRnrTimer=0 maxRdAtomic=0 maxDestRdAtomic=0"
                + " mask=STATE|ACCESS_FLAGS|PKEY_INDEX|PORT", steps(QueuePairType.RC).getFirst().toString());
        for (QueuePairType type : List.of(QueuePairType.RC, QueuePairType.UC)) {
            QueuePairAttributes receive = steps(type).get(1);
            assertEquals(List.of(17, 0xABCDEF, Mtu.MTU_1024, AddressVector.to(PEER.gid())), List.of(
                    receive.destQpNum(), receive.rqPsn(), receive.pathMtu(), receive.addressVector()));
        }
        QueuePairAttributes receive = QueuePairAttributes.readyToReceive(PEER);
        assertEquals(List.of(16, 12), List.of(receive.maxDestRdAtomic(), receive.minRnrTimer()));
        QueuePairAttributes send = QueuePairAttributes.readyToSend(5);
        assertEquals(List.of(14, 7, 7, 16),
                List.of(send.timeout(), send.retryCount(), send.rnrRetry(), send.maxRdAtomic()));
        assertEquals(0x1111, QueuePairAttributes.initUd(2, 0x1111).qkey());
        assertEquals(2, QueuePairAttributes.initUd(2, 0x1111).port());
        for (QueuePairType type : QueuePairType.values()) {
            assertEquals(5, steps(type).getLast().sqPsn());
        }
    }

    @Test
    void refusesMissingValues() {
        QueuePairAttributes attributes = new QueuePairAttributes();
        assertThrows(VerbsException.class, () -> attributes.state(null));
        assertThrows(VerbsException.class, () -> attributes.currentState(null));
        assertThrows(VerbsException.class, () -> attributes.addressVector(null));
        assertThrows(VerbsException.class, () -> attributes.pathMtu(null));
        assertEquals(0, attributes.mask(), "a refused setter leaves no trace");
    }
}
