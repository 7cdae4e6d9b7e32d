package io.verbena.verbs.spi;

import io.verbena.verbs.Context;
import io.verbena.verbs.Errno;
import io.verbena.verbs.QueuePairAttribute;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.VerbsException;
import java.util.StringJoiner;

/**
 * The state machine of queue pairs, shared by all providers: which state change is allowed, which attributes it needs
 * and which it takes besides (ibv_modify_qp(3)). Checks change nothing, so a refused modify leaves no trace.
 * Safe from any thread.
 */
public final class QueuePairTransitions {
    private static final QueuePairState[] STATES = QueuePairState.values();

    private QueuePairTransitions() {}

    /**
     * Tells whether a modify call may lead from one state to another.
     *
     * @param type transport service
     * @param from the state before
     * @param to the state after; may be the same
     * @return true when it may
     */
    public static boolean isAllowed(QueuePairType type, QueuePairState from, QueuePairState to) {
        return TransitionTable.rule(type, from, to) != null;
    }

    /**
     * The attributes a transition needs.
     *
     * @param type transport service
     * @param from the state before
     * @param to the state after
     * @return bits of {@link QueuePairAttribute#mask()} without STATE; 0 for a transition that is not allowed
     */
    public static int required(QueuePairType type, QueuePairState from, QueuePairState to) {
        TransitionTable.Rule rule = TransitionTable.rule(type, from, to);
        return rule == null ? 0 : rule.required();
    }

    /**
     * The attributes a transition takes besides those it needs.
     *
     * @param type transport service
     * @param from the state before
     * @param to the state after
     * @return bits of {@link QueuePairAttribute#mask()} without STATE; 0 for a transition that is not allowed
     */
    public static int optional(QueuePairType type, QueuePairState from, QueuePairState to) {
        TransitionTable.Rule rule = TransitionTable.rule(type, from, to);
        return rule == null ? 0 : rule.optional();
    }

    /**
     * Checks the transition and the mask of a modify call, not the values.
     *
     * @param type transport service
     * @param current the state of the queue pair
     * @param attributes what the call was given; without STATE the state is to stay
     * @return the state the call leads to
     * @throws VerbsException EINVAL when the transition is not allowed, an attribute is missing or is not taken, or
     *     CUR_STATE is not the current state
     */
    public static QueuePairState check(QueuePairType type, QueuePairState current, QueuePairAttributes attributes) {
        int stateBit = QueuePairAttribute.STATE.mask();
        int given = attributes.mask() & ~stateBit;
        QueuePairState target = (attributes.mask() & stateBit) != 0 ? attributes.state() : current;
        TransitionTable.Rule rule = TransitionTable.rule(type, current, target);
        String transition = type + " " + current + " -> " + target;
        if (rule == null) {
            throw refused("STATE",
                    transition + " is not allowed; from " + current + " go to " + targets(type, current));
        }
        if ((given & QueuePairAttribute.CAP.mask()) != 0) {
            throw refused("CAP", transition + ": queue sizes are fixed at creation; create a new queue pair");
        }
        checkCurrentState(given, current, attributes.currentState(), transition);
        int missing = rule.required() & ~given;
        int foreign = given & ~(rule.required() | rule.optional());
        if ((missing | foreign) != 0) {
            throw refused(names(missing | foreign), transition + (missing == 0 ? "" : " lacks " + names(missing))
                    + (missing == 0 || foreign == 0 ? "" : " and")
                    + (foreign == 0 ? "" : " does not take " + names(foreign))
                    + "; it needs " + names(rule.required()) + " and takes " + names(rule.optional()));
        }
        return target;
    }

    private static void checkCurrentState(
            int given, QueuePairState current, QueuePairState believed, String transition) {
        if ((given & QueuePairAttribute.CUR_STATE.mask()) == 0) {
            return;
        }
        boolean allowed = switch (current) {
            case RTR, RTS, SQD, SQE -> true;
            case RESET, INIT, ERR -> false;
        };
        if (!allowed) {
            throw refused("CUR_STATE", transition + " does not take CUR_STATE; only from RTR, RTS, SQD or SQE");
        }
        if (believed != current) {
            throw refused("CUR_STATE", transition + ": CUR_STATE is " + believed + "; allowed: the current state, "
                    + current);
        }
    }

    private static String targets(QueuePairType type, QueuePairState from) {
        StringJoiner joined = new StringJoiner(", ");
        for (QueuePairState to : STATES) {
            if (isAllowed(type, from, to)) {
                joined.add(to.name());
            }
        }
        return joined.toString();
    }

    /** Names attributes, and bits that are none. */
    private static String names(int mask) {
        int known = 0;
        for (QueuePairAttribute attribute : QueuePairAttribute.values()) {
            known |= attribute.mask();
        }
        int unknown = mask & ~known;
        if (unknown == 0) {
            return QueuePairAttribute.toString(mask);
        }
        String bits = "unknown bits 0x" + Integer.toHexString(unknown);
        return unknown == mask ? bits : QueuePairAttribute.toString(mask) + "|" + bits;
    }

    private static VerbsException refused(String argument, String message) {
        return new VerbsException(Errno.EINVAL, argument, message);
    }

    /**
     * Checks the values of the attributes in the mask against the limits of the device and its ports. The partition
     * key index is held against the port in the mask, else the address vector's, else port 1; the path MTU against the
     * address vector's port, else the port in the mask, else port 1.
     *
     * @param attributes what a modify call was given
     * @param context where the queue pair lives
     * @throws VerbsException EINVAL naming the attribute, its value and what is allowed
     */
    public static void checkValues(QueuePairAttributes attributes, Context context) {
        new AttributeLimits(attributes, context).check();
    }
}
