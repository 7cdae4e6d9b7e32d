package io.verbena.nic.wire;

import io.verbena.nic.direct.Path;
import io.verbena.rc.ConnectionConfig;
import io.verbena.verbs.RnrTimer;

/**
 * What verbs does not say of a connection.
 *
 * @param windowBytes bytes of packets that one connection may have outstanding
 * @param ackDelayNs how long an acknowledgement may wait for others or for a packet to go with
 * @param ackEvery packets after which it waits no longer
 */
record Tuning(int windowBytes, long ackDelayNs, int ackEvery) {
    private static final int LEAST_PACKETS = 16;
    private static final int MOST_PACKETS = 128;
    private static final int RNR_CODES = 32;

    /** What suits the sockets of one host. */
    static final Tuning USUAL = new Tuning(1 << 17, 10_000, 16);

    ConnectionConfig.Responding responding(Path path, boolean credits) {
        Path.Responding rules = path.responder();
        return new ConnectionConfig.Responding(rules.accessFlags(), rules.maxReads(), rnrCode(rules.rnrWaitNs()),
                ackDelayNs, ackEvery, credits);
    }

    ConnectionConfig.Requesting requesting(Path path, int sendPsn) {
        Path.Requesting rules = path.requester();
        int window = Math.clamp(windowBytes / path.mtuBytes(), LEAST_PACKETS, MOST_PACKETS);
        return new ConnectionConfig.Requesting(sendPsn, rules.ackTimeoutNs(), rules.retryCount(), rules.rnrRetry(),
                rules.maxReads(), window, true);
    }

    private static int rnrCode(long nanos) {
        for (int code = 0; code < RNR_CODES; code++) {
            if (RnrTimer.nanos(code) == nanos) {
                return code;
            }
        }
        throw new IllegalArgumentException(nanos + " ns is none of the 32 times of the RNR timer");
    }
}
