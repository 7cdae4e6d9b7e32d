package io.verbena.nic;

import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.DeviceLimit;
import io.verbena.verbs.QueuePairAttribute;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairCapabilities;
import io.verbena.verbs.QueuePairConfig;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.VerbsException;

/** What creating a queue pair refuses (ibv_create_qp(3)). */
final class QueuePairChecks {
    private QueuePairChecks() {}

    static void config(SoftContext context, QueuePairConfig config) {
        queue("sendCq", context, config.sendCq());
        queue("recvCq", context, config.recvCq());
        if (config.srq() != null) {
            shared(context, config);
        }
        QueuePairCapabilities sizes = config.capabilities();
        limit("maxSendWr", sizes.maxSendWr(), DeviceLimit.MAX_QP_WR);
        limit("maxRecvWr", sizes.maxRecvWr(), DeviceLimit.MAX_QP_WR);
        limit("maxSendSge", sizes.maxSendSge(), DeviceLimit.MAX_SGE);
        limit("maxRecvSge", sizes.maxRecvSge(), DeviceLimit.MAX_SGE);
        limit("maxInlineData", sizes.maxInlineData(), DeviceLimit.MAX_INLINE_DATA);
    }

    private static void shared(SoftContext context, QueuePairConfig config) {
        if (!(config.srq() instanceof SoftSharedReceiveQueue soft)
                || soft.softContext() != context || soft.isClosed()) {
            throw VerbsException.invalid("srq", config.srq(), "an open shared receive queue of the same context");
        }
        if (config.type() == QueuePairType.UC) {
            throw VerbsException.invalid("srq", config.srq(), "null for UC; only RC and UD draw from a shared queue");
        }
    }

    /** Refuses a peer that no packet of this device reaches; with {@code link=udp} only. */
    static void way(SoftNic nic, QueuePairAttributes wanted) {
        if ((wanted.mask() & QueuePairAttribute.AV.mask()) != 0) {
            SoftAddressHandle.requireWay(nic, wanted.addressVector().dgid());
        }
    }

    private static void queue(String name, SoftContext context, CompletionQueue queue) {
        if (!(queue instanceof SoftCompletionQueue soft) || soft.softContext() != context || soft.isClosed()) {
            throw VerbsException.invalid(name, queue, "an open completion queue of the same context");
        }
        soft.requireIntact(name);
    }

    private static void limit(String name, int value, DeviceLimit kind) {
        long limit = NicLimits.limit(kind);
        if (value > limit) {
            throw VerbsException.invalid(name, value, "0 to " + limit);
        }
    }
}
