package io.verbena.bench;

import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.function.Supplier;

/**
 * What one side of a WRITE ping-pong works with. The last byte of each message carries its number modulo 256; who
 * sees the number it expects in its own memory has the message, as in perftest.
 */
final class WritePort {
    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle().withInvokeExactBehavior();
    private static final int SIGNAL_EVERY = 64;

    private final QueuePair qp;
    private final CompletionQueue sendCq;
    private final Waiter sends;
    private final Patience patience;
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
    private boolean reclaimed;
    private final Supplier<String> state = () -> ", in the wait for message " + this.awaited;
    private int awaited;
    private long since;

    /** Buffers on both sides: outgoing at 0, incoming at stride. */
    WritePort(Endpoint own, PeerMemory peer, long size, int flags, StopFlag stop) {
        qp = own.qp(0);
        sendCq = qp.sendCq();
        sends = own.sends(0, stop);
        patience = own.patience();
        memory = own.region().segment();
        outgoing = own.region().address();
        lkey = own.region().lkey();
        target = peer.address() + Rig.stride(size);
        rkey = peer.rkey();
        lastOut = size - 1;
        lastIn = Rig.stride(size) + size - 1;
        this.size = size;
        this.flags = flags;
    }

    /** Writes a message. */
    void write(int number) {
        memory.set(ValueLayout.JAVA_BYTE, lastOut, (byte) number);
        int allFlags = isSignalled(number) ? flags | SendFlags.SIGNALED : flags;
        int status = qp.postWrite(0, outgoing, size, lkey, target, rkey, allFlags);
        if (status != PostStatus.OK) {
            throw PerfException.refused("a WRITE", status);
        }
    }

    private static boolean isSignalled(int number) {
        return (number & SIGNAL_EVERY - 1) == 0;
    }

    /** Whether a message is here. */
    boolean arrived(int number) {
        return (byte) BYTE.getAcquire(memory, lastIn) == (byte) number;
    }

    /** Takes the completion of a message written, if it has one. */
    void reclaim(int number) {
        if (isSignalled(number)) {
            if (!reclaimed) {
                sends.take();
            }
            reclaimed = false;
        }
    }

    /** A long wait for a message: lets a device without threads of its own work, shows failed writes, gives way. */
    int drive(Side side, int number) {
        int polled = sendCq.poll(completion);
        if (polled < 0 || polled == 1 && completion.statusCode() != 0) {
            throw PerfException.failed(polled, completion);
        }
        reclaimed |= polled == 1;
        if (awaited != number) {
            awaited = number;
            since = 0;
        }
        since = patience.check(since, state);
        return side.giveWay();
    }
}
