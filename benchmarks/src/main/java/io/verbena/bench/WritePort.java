package io.verbena.bench;

import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * What one side of a WRITE ping-pong works with. The last byte of each message carries its number modulo 256; who
 * sees the number it expects in its own memory has the message, as in perftest.
 */
final class WritePort {
    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();
    private static final int SIGNAL_EVERY = 64;

    private final QueuePair qp;
    private final CompletionQueue sendCq;
    private final Waiter sends;
    private final WorkCompletion completion = new WorkCompletion();
    private final MemorySegment memory;
    private final long outgoing;
    private final long size;
    private final int lkey;
    private final int flags;
    private final long target;
    private final int rkey;
    private final long lastOut;
    private final long lastIn;
    private int untilSignal = SIGNAL_EVERY;
    private boolean owed;
    private byte written;
    private byte expected = 1;

    /** Buffers on both sides: outgoing at 0, incoming at stride. */
    WritePort(Endpoint own, Endpoint peer, long size, int flags, StopFlag stop) {
        qp = own.qp(0);
        sendCq = qp.sendCq();
        sends = own.sends(0, stop);
        memory = own.region().segment();
        outgoing = own.region().address();
        lkey = own.region().lkey();
        target = peer.region().address() + Rig.stride(size);
        rkey = peer.region().rkey();
        lastOut = size - 1;
        lastIn = Rig.stride(size) + size - 1;
        this.size = size;
        this.flags = flags;
    }

    void write() {
        memory.set(ValueLayout.JAVA_BYTE, lastOut, ++written);
        int allFlags = flags;
        if (--untilSignal == 0) {
            allFlags |= SendFlags.SIGNALED;
            untilSignal = SIGNAL_EVERY;
            owed = true;
        }
        int status = qp.postWrite(0, outgoing, size, lkey, target, rkey, allFlags);
        if (status != PostStatus.OK) {
            throw PerfException.refused("a WRITE", status);
        }
    }

    /** Whether the next message is here. */
    boolean arrived() {
        if ((byte) BYTE.getAcquire(memory, lastIn) != expected) {
            return false;
        }
        expected++;
        return true;
    }

    /** Takes the completion of the last signalled write. */
    void reclaim() {
        if (owed) {
            sends.take();
            owed = false;
        }
    }

    /** A long wait: lets a device without threads of its own work, shows failed writes, gives way. */
    int drive(Side side) {
        int polled = sendCq.poll(completion);
        if (polled < 0 || polled == 1 && completion.statusCode() != 0) {
            throw PerfException.failed(polled, completion);
        }
        owed &= polled == 0;
        return side.giveWay();
    }
}
