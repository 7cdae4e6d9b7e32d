package io.verbena;

import io.verbena.async.message.Credits;
import io.verbena.async.message.Frame;
import io.verbena.async.op.OpCode;
import io.verbena.async.op.Operation;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Frames that the two ends exchange for themselves. What can't be sent at once, for want of a place or of a credit,
 * waits here: answers, at most one for each receive and request, and requests, whose number is bounded too. {@link
 * #owe} and {@link #send} are for any thread, the rest is the driver's.
 */
final class ControlFrames {
    private static final int STRIDE = 128;

    /** A frame that waits. */
    private record Waiting(int type, int id, byte[] body) {}

    private final ConnectionCore core;
    private final Credits credits;
    private final LocalMemory memory;
    private final Queue<Waiting> waiting = new ConcurrentLinkedQueue<>();
    private volatile boolean owes;
    private boolean disconnectWanted;
    private boolean disconnectSent;

    ControlFrames(ConnectionCore core, Credits credits) {
        this.core = core;
        this.credits = credits;
        memory = core.node.memory().allocate((long) STRIDE * core.control.size(),
                AllocationOptions.DEFAULT.withAlignment(64));
    }

    /** Credits are to be told; any thread. */
    void owe() {
        owes = true;
        core.home.poller().wantTurn(core);
    }

    /** Answers an offer. */
    void done(long wrId, int status) {
        byte[] body = new byte[Frame.DONE_BYTES];
        MemorySegment bytes = MemorySegment.ofArray(body);
        Frame.putLong(bytes, 0, wrId);
        Frame.putInt(bytes, 8, status);
        waiting.add(new Waiting(Frame.DONE, 0, body));
        turn();
    }

    /** Sends a frame as soon as there is a place and a credit; any thread. */
    void send(int type, int id, byte[] body) {
        waiting.add(new Waiting(type, id, body));
        core.home.poller().wantTurn(core);
    }

    /** Says that this side closes, once; returns whether it is said. */
    boolean disconnect() {
        disconnectWanted = true;
        turn();
        return disconnectSent;
    }

    void turn() {
        if (core.life.hasFailed() && !disconnectWanted) {
            return;
        }
        while (!waiting.isEmpty()) {
            Operation op = begin(false);
            if (op == null) {
                break;
            }
            Waiting frame = waiting.poll();
            MemorySegment.copy(frame.body(), 0, memory.unchecked(), ValueLayout.JAVA_BYTE,
                    at(op) + Frame.HEADER_BYTES, frame.body().length);
            post(op, frame.type(), frame.id(), frame.body().length);
        }
        if (disconnectWanted && !disconnectSent) {
            Operation op = begin(false);
            if (op != null) {
                disconnectSent = post(op, Frame.DISCONNECT, 0, 0);
            }
        }
        if (owes) {
            sendCredits();
        }
    }

    private void sendCredits() {
        owes = false;
        // Another frame may have said it meanwhile.
        if (credits.owes()) {
            Operation op = begin(true);
            if (op == null) {
                owes = true;
            } else {
                post(op, Frame.CREDIT, 0, 0);
            }
        }
    }

    private Operation begin(boolean grant) {
        if (!(grant ? credits.takeGrant() : credits.takeControl())) {
            return null;
        }
        Operation op = core.control.reserve();
        if (op == null) {
            credits.giveBack();
        }
        return op;
    }

    private long at(Operation op) {
        return (long) STRIDE * op.index();
    }

    private boolean post(Operation op, int type, int id, int length) {
        MemorySegment bytes = memory.unchecked();
        Frame.write(bytes, at(op), type, credits.advertise(), id, length);
        op.kind = OpCode.CONTROL;
        op.address = memory.address() + at(op);
        op.length = Frame.HEADER_BYTES + length;
        op.lkey = memory.lkey();
        op.remoteAddress = 0;
        boolean posted = core.postControl(op);
        if (!posted) {
            credits.giveBack();
        }
        return posted;
    }

    void closed() {
        memory.close();
    }
}
