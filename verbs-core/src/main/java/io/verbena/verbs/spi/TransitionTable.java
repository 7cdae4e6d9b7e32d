package io.verbena.verbs.spi;

import static io.verbena.verbs.QueuePairAttribute.ACCESS_FLAGS;
import static io.verbena.verbs.QueuePairAttribute.ALT_PATH;
import static io.verbena.verbs.QueuePairAttribute.AV;
import static io.verbena.verbs.QueuePairAttribute.CUR_STATE;
import static io.verbena.verbs.QueuePairAttribute.DEST_QPN;
import static io.verbena.verbs.QueuePairAttribute.EN_SQD_ASYNC_NOTIFY;
import static io.verbena.verbs.QueuePairAttribute.MAX_DEST_RD_ATOMIC;
import static io.verbena.verbs.QueuePairAttribute.MAX_QP_RD_ATOMIC;
import static io.verbena.verbs.QueuePairAttribute.MIN_RNR_TIMER;
import static io.verbena.verbs.QueuePairAttribute.PATH_MIG_STATE;
import static io.verbena.verbs.QueuePairAttribute.PATH_MTU;
import static io.verbena.verbs.QueuePairAttribute.PKEY_INDEX;
import static io.verbena.verbs.QueuePairAttribute.PORT;
import static io.verbena.verbs.QueuePairAttribute.QKEY;
import static io.verbena.verbs.QueuePairAttribute.RETRY_CNT;
import static io.verbena.verbs.QueuePairAttribute.RNR_RETRY;
import static io.verbena.verbs.QueuePairAttribute.RQ_PSN;
import static io.verbena.verbs.QueuePairAttribute.SQ_PSN;
import static io.verbena.verbs.QueuePairAttribute.TIMEOUT;
import static io.verbena.verbs.QueuePairState.ERR;
import static io.verbena.verbs.QueuePairState.INIT;
import static io.verbena.verbs.QueuePairState.RESET;
import static io.verbena.verbs.QueuePairState.RTR;
import static io.verbena.verbs.QueuePairState.RTS;
import static io.verbena.verbs.QueuePairState.SQD;
import static io.verbena.verbs.QueuePairState.SQE;
import static io.verbena.verbs.QueuePairType.RC;
import static io.verbena.verbs.QueuePairType.UC;
import static io.verbena.verbs.QueuePairType.UD;

import io.verbena.verbs.QueuePairAttribute;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;

/** The allowed transitions of queue pairs as data: one line for each, with its required and optional attributes. */
final class TransitionTable {
    /**
     * What one allowed transition asks for, as attribute bits without STATE.
     *
     * @param required must all be given
     * @param optional may be given
     */
    record Rule(int required, int optional) {}

    private static final int STATES = QueuePairState.values().length;
    private static final Rule[][] RULES = new Rule[QueuePairType.values().length][STATES * STATES];

    static {
        for (QueuePairType type : QueuePairType.values()) {
            for (QueuePairState from : QueuePairState.values()) {
                allow(type, from, RESET, 0, 0);
                if (from != RESET) {
                    allow(type, from, ERR, 0, 0);
                }
            }
        }
        reliableConnection();
        unreliableConnection();
        unreliableDatagram();
    }

    private TransitionTable() {}

    private static void reliableConnection() {
        int atWork = bits(CUR_STATE, ACCESS_FLAGS, ALT_PATH, PATH_MIG_STATE, MIN_RNR_TIMER);
        allow(RC, RESET, INIT, bits(PKEY_INDEX, PORT, ACCESS_FLAGS), 0);
        allow(RC, INIT, INIT, 0, bits(PKEY_INDEX, PORT, ACCESS_FLAGS));
        allow(RC, INIT, RTR, bits(AV, PATH_MTU, DEST_QPN, RQ_PSN, MAX_DEST_RD_ATOMIC, MIN_RNR_TIMER),
                bits(ALT_PATH, ACCESS_FLAGS, PKEY_INDEX));
        allow(RC, RTR, RTS, bits(SQ_PSN, TIMEOUT, RETRY_CNT, RNR_RETRY, MAX_QP_RD_ATOMIC), atWork);
        allow(RC, RTS, RTS, 0, atWork);
        allow(RC, RTS, SQD, 0, bits(EN_SQD_ASYNC_NOTIFY));
        allow(RC, SQD, SQD, 0, bits(PORT, AV, TIMEOUT, RETRY_CNT, RNR_RETRY, MAX_QP_RD_ATOMIC, MAX_DEST_RD_ATOMIC,
                ALT_PATH, ACCESS_FLAGS, PKEY_INDEX, MIN_RNR_TIMER, PATH_MIG_STATE));
        allow(RC, SQD, RTS, 0, atWork);
    }

    private static void unreliableConnection() {
        int atWork = bits(CUR_STATE, ACCESS_FLAGS, ALT_PATH, PATH_MIG_STATE);
        allow(UC, RESET, INIT, bits(PKEY_INDEX, PORT, ACCESS_FLAGS), 0);
        allow(UC, INIT, INIT, 0, bits(PKEY_INDEX, PORT, ACCESS_FLAGS));
        allow(UC, INIT, RTR, bits(AV, PATH_MTU, DEST_QPN, RQ_PSN), bits(ALT_PATH, ACCESS_FLAGS, PKEY_INDEX));
        allow(UC, RTR, RTS, bits(SQ_PSN), atWork);
        allow(UC, RTS, RTS, 0, atWork);
        allow(UC, RTS, SQD, 0, bits(EN_SQD_ASYNC_NOTIFY));
        allow(UC, SQD, SQD, 0, bits(AV, ALT_PATH, ACCESS_FLAGS, PKEY_INDEX, PATH_MIG_STATE));
        allow(UC, SQD, RTS, 0, atWork);
        allow(UC, SQE, RTS, 0, bits(CUR_STATE, ACCESS_FLAGS));
    }

    private static void unreliableDatagram() {
        int atWork = bits(CUR_STATE, QKEY);
        allow(UD, RESET, INIT, bits(PKEY_INDEX, PORT, QKEY), 0);
        allow(UD, INIT, INIT, 0, bits(PKEY_INDEX, PORT, QKEY));
        allow(UD, INIT, RTR, 0, bits(PKEY_INDEX, QKEY));
        allow(UD, RTR, RTS, bits(SQ_PSN), atWork);
        allow(UD, RTS, RTS, 0, atWork);
        allow(UD, RTS, SQD, 0, bits(EN_SQD_ASYNC_NOTIFY));
        allow(UD, SQD, SQD, 0, bits(PKEY_INDEX, QKEY));
        allow(UD, SQD, RTS, 0, atWork);
        allow(UD, SQE, RTS, 0, atWork);
    }

    private static void allow(
            QueuePairType type, QueuePairState from, QueuePairState to, int required, int optional) {
        assert rule(type, from, to) == null && (required & optional) == 0 : type + " " + from + " -> " + to;
        RULES[type.ordinal()][index(from, to)] = new Rule(required, optional);
    }

    private static int bits(QueuePairAttribute... attributes) {
        int mask = 0;
        for (QueuePairAttribute attribute : attributes) {
            mask |= attribute.mask();
        }
        return mask;
    }

    private static int index(QueuePairState from, QueuePairState to) {
        return from.ordinal() * STATES + to.ordinal();
    }

    /**
     * Looks a transition up.
     *
     * @param type transport service
     * @param from the state before
     * @param to the state after
     * @return null when it is not allowed
     */
    static Rule rule(QueuePairType type, QueuePairState from, QueuePairState to) {
        return RULES[type.ordinal()][index(from, to)];
    }
}
