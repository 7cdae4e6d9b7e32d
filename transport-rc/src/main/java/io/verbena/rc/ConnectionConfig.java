package io.verbena.rc;

import io.verbena.rc.packet.Psn;

/**
 * What a connection is made with. Values that verbs checks at set-up are not checked again, except where the engine
 * could not work.
 *
 * @param qpNum the own queue pair, 24 bits
 * @param remoteQpNum the peer's queue pair, 24 bits
 * @param mtuBytes path MTU: 256, 512, 1024, 2048 or 4096
 * @param receivePsn first packet sequence number of the peer, 24 bits
 * @param responding how requests of the peer are served
 */
public record ConnectionConfig(
        int qpNum, int remoteQpNum, int mtuBytes, int receivePsn, Responding responding) {
    private static final int MIN_MTU = 256;
    private static final int MAX_MTU = 4096;
    /** Half of all sequence numbers: further back than that nobody can look. */
    private static final int MAX_WINDOW = 1 << 23;

    /**
     * Refuses an MTU that no packet has.
     *
     * @throws IllegalArgumentException for anything but the five path MTUs
     */
    public ConnectionConfig {
        if (mtuBytes < MIN_MTU || mtuBytes > MAX_MTU || Integer.bitCount(mtuBytes) != 1) {
            throw new IllegalArgumentException("mtuBytes is " + mtuBytes + "; allowed: 256, 512, 1024, 2048, 4096");
        }
        receivePsn &= Psn.MASK;
    }

    /**
     * How requests of the peer are served.
     *
     * @param accessFlags bits of {@link io.verbena.verbs.Access} that requests may use
     * @param maxReads READs and atomics of the peer that are remembered, 0 to 255
     * @param rnrTimer code of the wait when no receive is posted, 0 to 31
     * @param ackDelayNs how long an acknowledgement may wait for others or for a packet to go with, 0 or more
     * @param ackEvery packets after which it waits no longer, 1 or more
     * @param credits whether acknowledgements tell how many receives are posted
     */
    public record Responding(
            int accessFlags, int maxReads, int rnrTimer, long ackDelayNs, int ackEvery, boolean credits) {}

    /**
     * How own requests are sent.
     *
     * @param sendPsn first packet sequence number, 24 bits
     * @param ackTimeoutNs how long to wait for an answer, 0 for ever
     * @param retryCount tries after the first one without an answer, 0 to 7
     * @param rnrRetry tries after the first receiver-not-ready, 0 to 6; 7 for without end
     * @param maxReads READs and atomics outstanding at a time, 0 to 255
     * @param windowPackets packets outstanding at a time, 1 to 2^23
     * @param heedsCredits whether messages wait for receives that the peer says it has
     */
    public record Requesting(
            int sendPsn, long ackTimeoutNs, int retryCount, int rnrRetry, int maxReads, int windowPackets,
            boolean heedsCredits) {
        /**
         * Refuses a window that the numbers cannot tell apart.
         *
         * @throws IllegalArgumentException for a window outside 1 to 2^23 packets
         */
        public Requesting {
            if (windowPackets < 1 || windowPackets > MAX_WINDOW) {
                throw new IllegalArgumentException(
                        "windowPackets is " + windowPackets + "; allowed: 1 to " + MAX_WINDOW);
            }
            sendPsn &= Psn.MASK;
        }
    }
}
