package io.verbena.verbs.tck;

import io.verbena.verbs.AddressVector;
import io.verbena.verbs.Gid;
import io.verbena.verbs.Mtu;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttribute;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.tck.peer.LinkSpec;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/** Brings single queue pairs, without a peer, to any state, and compares what a query tells before and after. */
final class StateDriver {
    private static final List<QueuePairState> PATH = List.of(QueuePairState.RESET, QueuePairState.INIT,
            QueuePairState.RTR, QueuePairState.RTS, QueuePairState.SQD);

    private StateDriver() {}

    /** Attributes with a valid value for everything, of which only the given ones and the state count. */
    static QueuePairAttributes attributes(Gid gid, QueuePairState from, QueuePairState to,
            Collection<QueuePairAttribute> which) {
        boolean hasCurrent = from != QueuePairState.RESET && from != QueuePairState.INIT && from != QueuePairState.ERR;
        QueuePairAttributes attributes = new QueuePairAttributes()
                .state(to)
                .currentState(hasCurrent ? from : QueuePairState.RTS)
                .sqdAsyncNotify(true)
                .accessFlags(LinkSpec.ALL_REMOTE)
                .pkeyIndex(0)
                .port(1)
                .qkey(0x1111)
                .addressVector(AddressVector.to(gid))
                .pathMtu(Mtu.MTU_512)
                .timeout(13)
                .retryCount(5)
                .rnrRetry(4)
                .rqPsn(0x12_3456)
                .sqPsn(0x65_4321)
                .maxRdAtomic(2)
                .maxDestRdAtomic(4)
                .minRnrTimer(9)
                .destQpNum(0x12_3456);
        int mask = QueuePairAttribute.STATE.mask();
        for (QueuePairAttribute attribute : which) {
            mask |= attribute.mask();
        }
        return attributes.mask(mask);
    }

    /** Takes a queue pair from RESET to a state by legal transitions. */
    static void bring(QueuePair qp, Gid gid, QueuePairState target) {
        if (target == QueuePairState.ERR) {
            bring(qp, gid, QueuePairState.INIT);
            qp.modify(QueuePairAttributes.toState(QueuePairState.ERR));
            return;
        }
        for (int step = 1; step <= PATH.indexOf(target); step++) {
            QueuePairState from = PATH.get(step - 1);
            QueuePairState to = PATH.get(step);
            qp.modify(attributes(gid, from, to, required(qp, from, to)));
        }
    }

    private static Set<QueuePairAttribute> required(QueuePair qp, QueuePairState from, QueuePairState to) {
        return TransitionTable.edges().stream()
                .filter(edge -> edge.type() == qp.type() && edge.from() == from && edge.to() == to)
                .findFirst().orElseThrow().required();
    }

    /** Everything a query tells, as text. */
    static String snapshot(QueuePair qp) {
        QueuePairAttributes now = qp.query();
        return qp.state() + " " + now + " " + now.addressVector() + " qkey=" + now.qkey() + " draining="
                + now.sqDraining() + " " + now.capabilities();
    }
}
