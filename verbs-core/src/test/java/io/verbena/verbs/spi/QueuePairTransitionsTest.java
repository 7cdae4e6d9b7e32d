package io.verbena.verbs.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Errno;
import io.verbena.verbs.QueuePairAttribute;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.VerbsException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every transition, every missing and every foreign attribute, against the table of ibv_modify_qp(3) typed out. */
@Timeout(30)
class QueuePairTransitionsTest {
    /** type | from | to | required | optional; besides, anything goes to RESET and anything but RESET to ERR. */
    private static final String TABLE = """
            RC | RESET | INIT | PKEY_INDEX PORT ACCESS_FLAGS                                        |
            UC | RESET | INIT | PKEY_INDEX PORT ACCESS_FLAGS                                        |
            UD | RESET | INIT | PKEY_INDEX PORT QKEY                                                |
            RC | INIT  | INIT |                                                | PKEY_INDEX PORT ACCESS_FLAGS
            UC | INIT  | INIT |                                                | PKEY_INDEX PORT ACCESS_FLAGS
            UD | INIT  | INIT |                                                | PKEY_INDEX PORT QKEY
            RC | INIT  | RTR  | AV PATH_MTU DEST_QPN RQ_PSN MAX_DEST_RD_ATOMIC MIN_RNR_TIMER | \
            ALT_PATH ACCESS_FLAGS PKEY_INDEX
            UC | INIT  | RTR  | AV PATH_MTU DEST_QPN RQ_PSN                    | ALT_PATH ACCESS_FLAGS PKEY_INDEX
            UD | INIT  | RTR  |                                                | PKEY_INDEX QKEY
            RC | RTR   | RTS  | SQ_PSN TIMEOUT RETRY_CNT RNR_RETRY MAX_QP_RD_ATOMIC | \
            CUR_STATE ALT_PATH ACCESS_FLAGS MIN_RNR_TIMER PATH_MIG_STATE
            UC | RTR   | RTS  | SQ_PSN | CUR_STATE ALT_PATH ACCESS_FLAGS PATH_MIG_STATE
            UD | RTR   | RTS  | SQ_PSN                                         | CUR_STATE QKEY
            RC | RTS   | RTS  |                          | CUR_STATE ACCESS_FLAGS ALT_PATH PATH_MIG_STATE MIN_RNR_TIMER
            UC | RTS   | RTS  |                                       | CUR_STATE ACCESS_FLAGS ALT_PATH PATH_MIG_STATE
            UD | RTS   | RTS  |                                                | CUR_STATE QKEY
            RC | RTS   | SQD  |                                                | EN_SQD_ASYNC_NOTIFY
            UC | RTS   | SQD  |                                                | EN_SQD_ASYNC_NOTIFY
            UD | RTS   | SQD  |                                                | EN_SQD_ASYNC_NOTIFY
            RC | SQD   | SQD  | | PORT AV TIMEOUT RETRY_CNT RNR_RETRY MAX_QP_RD_ATOMIC MAX_DEST_RD_ATOMIC ALT_PATH \
            ACCESS_FLAGS PKEY_INDEX MIN_RNR_TIMER PATH_MIG_STATE
            UC | SQD   | SQD  |                                | AV ALT_PATH ACCESS_FLAGS PKEY_INDEX PATH_MIG_STATE
            UD | SQD   | SQD  |                                                | PKEY_INDEX QKEY
            RC | SQD   | RTS  |                          | CUR_STATE ACCESS_FLAGS ALT_PATH PATH_MIG_STATE MIN_RNR_TIMER
            UC | SQD   | RTS  |                                       | CUR_STATE ACCESS_FLAGS ALT_PATH PATH_MIG_STATE
            UD | SQD   | RTS  |                                                | CUR_STATE QKEY
            UC | SQE   | RTS  |                                                | CUR_STATE ACCESS_FLAGS
            UD | SQE   | RTS  |                                                | CUR_STATE QKEY
            """;

    /** One edge of the state machine. */
    private record Step(QueuePairType type, QueuePairState from, QueuePairState to) {}

    /** What an edge requires and what it allows besides. */
    private record Masks(int required, int optional) {}

    private static Map<Step, Masks> expected() {
        Map<Step, Masks> table = new HashMap<>();
        for (QueuePairType type : QueuePairType.values()) {
            for (QueuePairState from : QueuePairState.values()) {
                table.put(new Step(type, from, QueuePairState.RESET), new Masks(0, 0));
                if (from != QueuePairState.RESET) {
                    table.put(new Step(type, from, QueuePairState.ERR), new Masks(0, 0));
                }
            }
        }
        TABLE.lines().forEach(line -> {
            String[] cells = line.split("\\|", -1);
            Step step = new Step(QueuePairType.valueOf(cells[0].strip()), QueuePairState.valueOf(cells[1].strip()),
                    QueuePairState.valueOf(cells[2].strip()));
            table.put(step, new Masks(mask(cells[3]), cells.length > 4 ? mask(cells[4]) : 0));
        });
        assertEquals(26 + 3 * 13, table.size());
        return table;
    }

    private static int mask(String names) {
        int mask = 0;
        for (String name : names.strip().split("\\s+")) {
            mask |= name.isEmpty() ? 0 : QueuePairAttribute.valueOf(name).mask();
        }
        return mask;
    }

    /** Looks at one edge. */
    private interface Visitor {
        void visit(Step step, Masks masks);
    }

    private static void forEachAllowed(Visitor visitor) {
        expected().forEach(visitor::visit);
    }

    private static QueuePairAttributes attributes(Step step, int mask) {
        return new QueuePairAttributes().state(step.to()).currentState(step.from())
                .mask(mask | QueuePairAttribute.STATE.mask());
    }

    private static QueuePairState check(Step step, int mask) {
        return QueuePairTransitions.check(step.type(), step.from(), attributes(step, mask));
    }

    private static VerbsException refusal(Step step, QueuePairAttributes attributes) {
        VerbsException e = assertThrows(VerbsException.class,
                () -> QueuePairTransitions.check(step.type(), step.from(), attributes), step::toString);
        assertEquals(Errno.EINVAL, e.errno());
        return e;
    }

    @Test
    void everyTransitionIsAsInTheTable() {
        Map<Step, Masks> table = expected();
        for (QueuePairType type : QueuePairType.values()) {
            for (QueuePairState from : QueuePairState.values()) {
                for (QueuePairState to : QueuePairState.values()) {
                    Step step = new Step(type, from, to);
                    Masks masks = table.get(step);
                    assertEquals(masks != null, QueuePairTransitions.isAllowed(type, from, to), step::toString);
                    assertEquals(masks == null ? 0 : masks.required(), QueuePairTransitions.required(type, from, to),
                            step::toString);
                    assertEquals(masks == null ? 0 : masks.optional(), QueuePairTransitions.optional(type, from, to),
                            step::toString);
                    if (masks == null) {
                        VerbsException e = refusal(step, attributes(step, 0));
                        assertEquals("STATE", e.argument());
                        assertTrue(e.getMessage().contains(type + " " + from + " -> " + to), e.getMessage());
                        assertTrue(e.getMessage().contains("RESET"), "says where to go: " + e.getMessage());
                    }
                }
            }
        }
    }

    @Test
    void requiredAttributesAreEnoughAndOptionalOnesAreTaken() {
        forEachAllowed((step, masks) -> {
            assertEquals(step.to(), check(step, masks.required()), step::toString);
            assertEquals(step.to(), check(step, masks.required() | masks.optional()), step::toString);
            for (QueuePairAttribute attribute : QueuePairAttribute.values()) {
                assertEquals(step.to(), check(step, masks.required() | masks.optional() & attribute.mask()),
                        step::toString);
            }
        });
    }

    @Test
    void eachMissingAttributeIsNamed() {
        forEachAllowed((step, masks) -> {
            for (QueuePairAttribute attribute : QueuePairAttribute.values()) {
                if ((masks.required() & attribute.mask()) != 0) {
                    VerbsException e = refusal(step, attributes(step, masks.required() & ~attribute.mask()));
                    assertEquals(attribute.name(), e.argument());
                    assertTrue(e.getMessage().contains("lacks " + attribute + ";"), e.getMessage());
                    assertTrue(e.getMessage().contains(step.from() + " -> " + step.to()), e.getMessage());
                }
            }
        });
    }

    @Test
    void eachForeignAttributeIsNamed() {
        forEachAllowed((step, masks) -> {
            for (QueuePairAttribute attribute : QueuePairAttribute.values()) {
                int taken = masks.required() | masks.optional() | QueuePairAttribute.STATE.mask();
                if ((taken & attribute.mask()) == 0) {
                    VerbsException e = refusal(step, attributes(step, masks.required() | attribute.mask()));
                    assertEquals(attribute.name(), e.argument(), step::toString);
                    assertTrue(e.getMessage().contains(step.from() + " -> " + step.to()), e.getMessage());
                }
            }
        });
    }

    @Test
    void eachUnknownBitIsRefused() {
        forEachAllowed((step, masks) -> {
            for (int bit = 21; bit < 32; bit++) {
                VerbsException e = refusal(step, attributes(step, masks.required() | 1 << bit));
                assertTrue(e.argument().contains("0x" + Integer.toHexString(1 << bit)), e.argument());
            }
        });
    }

    @Test
    void missingAndForeignAttributesAreNamedTogether() {
        Step step = new Step(QueuePairType.RC, QueuePairState.RESET, QueuePairState.INIT);
        VerbsException e = refusal(step, attributes(step, mask("PORT QKEY SQ_PSN")));
        assertTrue(e.getMessage().contains("lacks ACCESS_FLAGS|PKEY_INDEX"), e.getMessage());
        assertTrue(e.getMessage().contains("does not take QKEY|SQ_PSN"), e.getMessage());
    }

    @Test
    void withoutStateTheStateStays() {
        Map<Step, Masks> table = expected();
        for (QueuePairType type : QueuePairType.values()) {
            for (QueuePairState state : QueuePairState.values()) {
                Step step = new Step(type, state, state);
                // The state field itself must not count.
                QueuePairAttributes attributes = new QueuePairAttributes().state(QueuePairState.SQE).mask(0);
                if (table.containsKey(step)) {
                    assertEquals(state, QueuePairTransitions.check(type, state, attributes));
                } else {
                    refusal(step, attributes);
                }
            }
        }
        QueuePairAttributes change = new QueuePairAttributes().minRnrTimer(3);
        assertEquals(QueuePairState.RTS, QueuePairTransitions.check(QueuePairType.RC, QueuePairState.RTS, change));
    }

    @Test
    void theBelievedStateMustBeTheCurrentOne() {
        forEachAllowed((step, masks) -> {
            if ((masks.optional() & QueuePairAttribute.CUR_STATE.mask()) != 0) {
                for (QueuePairState believed : QueuePairState.values()) {
                    QueuePairAttributes attributes = attributes(step,
                            masks.required() | QueuePairAttribute.CUR_STATE.mask());
                    int mask = attributes.mask();
                    attributes.currentState(believed).mask(mask);
                    if (believed == step.from()) {
                        assertEquals(step.to(),
                                QueuePairTransitions.check(step.type(), step.from(), attributes));
                    } else {
                        assertEquals("CUR_STATE", refusal(step, attributes).argument());
                    }
                }
                assertFalse(step.from() == QueuePairState.RESET || step.from() == QueuePairState.INIT
                        || step.from() == QueuePairState.ERR);
            }
        });
    }

    @Test
    void queueSizesCannotBeChanged() {
        Step step = new Step(QueuePairType.RC, QueuePairState.INIT, QueuePairState.INIT);
        VerbsException e = refusal(step, attributes(step, QueuePairAttribute.CAP.mask()));
        assertEquals("CAP", e.argument());
        assertTrue(e.getMessage().contains("create a new queue pair"), e.getMessage());
    }
}
