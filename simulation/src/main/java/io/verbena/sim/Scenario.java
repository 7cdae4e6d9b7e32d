package io.verbena.sim;

import io.verbena.rc.ConnectionConfig.Requesting;
import io.verbena.rc.ConnectionConfig.Responding;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;

/**
 * Everything that a run depends on.
 *
 * @param seed by which the run's own choices are drawn
 * @param ends how both ends are set up
 * @param faults what the network does
 * @param load what is sent
 * @param incidents what else happens
 * @param lost which packets are lost besides, by their number in the run
 */
record Scenario(
        long seed, Ends ends, Faults faults, Load load, Incidents incidents, LongPredicate lost) {
    /**
     * How both ends are set up.
     *
     * @param mtu path MTU in bytes
     * @param psnA first sequence number of one end
     * @param psnB first sequence number of the other end
     * @param requesting how requests are sent
     * @param responding how requests are served
     * @param clockStart what the clock shows at the start
     * @param ipv4 whether the CRC covers an identification that the receiver does not know
     */
    record Ends(
            int mtu, int psnA, int psnB, Requesting requesting, Responding responding, long clockStart,
            boolean ipv4) {}

    /**
     * What is sent.
     *
     * @param requests of each end
     * @param maxLength bytes of the longest
     * @param depth work requests and receives posted at a time
     * @param receiveShare share of receives posted in time, the rest only when the network heals
     * @param kinds which kinds of work there are
     * @param wicked whether the last request of one end is one that must be refused
     * @param burst packets that an end can send at a time before its socket refuses more for a while
     */
    record Load(
            int requests, int maxLength, int depth, double receiveShare, Kind[] kinds, boolean wicked, int burst) {}

    /**
     * What else happens; times are since the start, -1 for never.
     *
     * @param healNs when the network loses nothing any more
     * @param holeFromNs when packets of one direction begin to vanish
     * @param holeForNs for how long
     * @param stallFromNs when one end stops running
     * @param stallForNs for how long
     * @param crashAtPacket packet number at which one end is gone for ever
     * @param revokeAtPacket packet number at which one end takes its memory back
     */
    record Incidents(
            long healNs, long holeFromNs, long holeForNs, long stallFromNs, long stallForNs, long crashAtPacket,
            long revokeAtPacket) {
        static Incidents none(long healNs) {
            return new Incidents(healNs, -1, 0, -1, 0, -1, -1);
        }
    }

    /** Whether a connection may run out of tries without anything being wrong with it. */
    boolean mayRunOutOfTries() {
        boolean rough = faults.loss() > 0.02 || faults.reorder() > 0.02 || faults.corrupt() > 0.02
                || faults.capacity() < 4 * ends.requesting().windowPackets();
        boolean hasty = ends.requesting().ackTimeoutNs() < 8 * (faults.maxDelayNs() + ends.responding().ackDelayNs());
        // Each try that ends without an answer has lost a packet at least.
        long scripted = LongStream.range(0, Integer.SIZE).filter(lost).count();
        return rough || hasty || scripted > ends.requesting().retryCount() || ends.requesting().retryCount() < 7
                || incidents.holeFromNs() >= 0 || incidents.stallFromNs() >= 0 || incidents.crashAtPacket() >= 0;
    }
}
