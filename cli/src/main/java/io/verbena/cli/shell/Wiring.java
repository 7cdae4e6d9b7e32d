package io.verbena.cli.shell;

import io.verbena.verbs.Access;
import io.verbena.verbs.AddressVector;
import io.verbena.verbs.Errno;
import io.verbena.verbs.GidEntry;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.VerbsException;
import java.security.SecureRandom;
import java.util.List;

/** Takes queue pairs of any type to RTS: what each type's state machine asks for. */
final class Wiring {
    /** The queue key of every UD queue pair of the shell; the highest bit must be 0. */
    static final int QKEY = 0x1111_1111;

    /** What peers may do with the queue pairs of the shell. */
    static final int PEER_MAY = Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC;
    /** What of that UC knows. */
    private static final int UC_PEER_MAY = Access.REMOTE_WRITE;

    private static final int PSN_BITS = 24;
    private static final SecureRandom RANDOM = new SecureRandom();

    private Wiring() {}

    /** Connects two queue pairs of the same type with each other, from whatever state they are in. */
    static void connect(QueuePair first, QueuePair second) {
        if (first.type() != second.type()) {
            throw VerbsException.invalid("type", first.type() + " and " + second.type(), "two of the same type");
        }
        QueuePairEndpoint one = describe(first);
        QueuePairEndpoint other = second == first ? one : describe(second);
        List.of(first, second).forEach(Wiring::reset);
        raise(first, one, other);
        if (second != first) {
            raise(second, other, one);
        }
    }

    private static QueuePairEndpoint describe(QueuePair queuePair) {
        return new QueuePairEndpoint(gid(queuePair).gid(), queuePair.qpNum(), RANDOM.nextInt(1 << PSN_BITS));
    }

    /** The address that a queue pair sends from: the first one of its device. */
    static GidEntry gid(QueuePair queuePair) {
        return queuePair.protectionDomain().context().queryGidTable().stream().findFirst().orElseThrow(
                () -> new VerbsException(Errno.ENODATA, "gid", "the device has no GID; give its port an address"));
    }

    /** The way from one queue pair to another one. */
    static AddressVector vector(QueuePair from, QueuePair to) {
        return vector(gid(from), new QueuePairEndpoint(gid(to).gid(), to.qpNum(), 0));
    }

    private static AddressVector vector(GidEntry from, QueuePairEndpoint to) {
        AddressVector usual = AddressVector.to(to.gid());
        return new AddressVector(to.gid(), from.index(), from.port(), usual.hopLimit(), 0, 0);
    }

    /** Takes a queue pair to RESET; what it has posted is dropped. */
    static void reset(QueuePair queuePair) {
        if (queuePair.state() != QueuePairState.RESET) {
            queuePair.modify(QueuePairAttributes.toState(QueuePairState.RESET));
        }
    }

    private static void raise(QueuePair queuePair, QueuePairEndpoint own, QueuePairEndpoint peer) {
        GidEntry from = gid(queuePair);
        AddressVector way = vector(from, peer);
        switch (queuePair.type()) {
            case RC -> {
                queuePair.modify(QueuePairAttributes.init(from.port(), PEER_MAY));
                queuePair.modify(QueuePairAttributes.readyToReceive(peer).addressVector(way));
                queuePair.modify(QueuePairAttributes.readyToSend(own.psn()));
            }
            case UC -> {
                queuePair.modify(QueuePairAttributes.init(from.port(), UC_PEER_MAY));
                queuePair.modify(QueuePairAttributes.readyToReceiveUc(peer).addressVector(way));
                queuePair.modify(QueuePairAttributes.readyToSendUc(own.psn()));
            }
            case UD -> {
                queuePair.modify(QueuePairAttributes.initUd(from.port(), QKEY));
                queuePair.modify(QueuePairAttributes.readyToReceiveUd());
                queuePair.modify(QueuePairAttributes.readyToSendUd(own.psn()));
            }
        }
    }
}
