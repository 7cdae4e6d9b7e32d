package io.verbena.nic.wire;

import io.verbena.nic.direct.Path;
import io.verbena.nic.link.PacketPath;
import io.verbena.rc.packet.PacketView;
import io.verbena.rc.packet.PacketWriter;
import io.verbena.rc.packet.Verdict;
import io.verbena.verbs.AsyncEvent.QueuePairEvent.Kind;
import io.verbena.verbs.QueuePairState;

/**
 * A protocol engine of any service, as {@link NicLoop} drives it. Times and order of calls are those of
 * {@link io.verbena.rc.RcConnection}.
 */
interface Transport {
    /** RTR, RTS, SQD, SQE or ERR. */
    QueuePairState state();

    /** From RTR to RTS. */
    void startSending(Path path, int sendPsn, long firstSequence);

    /** Takes over changed attributes. */
    void update(Path path, PacketPath way);

    /** From RTS to SQD. */
    void drain();

    /** From SQD or SQE back to RTS. */
    void resume();

    /** To ERR. */
    void fail(Kind kind);

    /** Work was posted. */
    void onWork(long now);

    /** Takes a packet that was checked. */
    Verdict onPacket(PacketView view, long now);

    /** A deadline may be over; nothing to do for a service that has none. */
    default void onTimeout(long now, long seen) {}

    /** Nothing will be posted soon that an acknowledgement could go along with. */
    default void onRest() {}

    /** Writes the next packet; false when there is none. */
    boolean nextPacket(PacketWriter writer, long now);

    /** Writes what must still be said before this is given up; false for nothing. */
    default boolean lastPacket(PacketWriter writer) {
        return false;
    }

    /** Where the packet goes that was written last. */
    PacketPath way();

    /** Whether there is a deadline; only a reliable service has any. */
    default boolean hasDeadline() {
        return false;
    }

    /** The deadline, only while there is one. */
    default long nextDeadline() {
        throw new IllegalStateException("no deadline");
    }

    /** The next packet sequence number to send. */
    int sendPsn();

    /** The next packet sequence number awaited. */
    int receivePsn();
}
