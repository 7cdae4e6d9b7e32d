package io.verbena.nic.direct;

import io.verbena.nic.link.Marks;
import io.verbena.verbs.Gid;

/**
 * What the data path needs of a queue pair's attributes; replaced as a whole when they change.
 *
 * @param localGid where requests come from
 * @param remoteGid the only address whose requests are accepted
 * @param remoteQpNum the only queue pair whose requests are accepted
 * @param mtuBytes path MTU
 * @param responder how requests of the peer are served
 * @param requester how own requests are tried
 * @param qkey the own queue key (UD)
 */
public record Path(
        Gid localGid, Gid remoteGid, int remoteQpNum, int mtuBytes, Responding responder, Requesting requester,
        int qkey) {
    /**
     * How requests of the peer are served.
     *
     * @param accessFlags bits of Access
     * @param maxReads READs and atomics the peer may have outstanding
     * @param rnrWaitNs how long the peer waits when no receive is posted
     */
    public record Responding(int accessFlags, int maxReads, long rnrWaitNs) {}

    /**
     * How own requests are tried.
     *
     * @param ackTimeoutNs how long to wait for an answer, 0 for ever
     * @param retryCount tries after the first one without an answer
     * @param rnrRetry tries after the first receiver-not-ready, 7 for without end
     * @param maxReads READs and atomics this side may have outstanding
     * @param marks what the headers of packets say; {@link Marks#USUAL} where there are none
     */
    public record Requesting(long ackTimeoutNs, int retryCount, int rnrRetry, int maxReads, Marks marks) {}
}
