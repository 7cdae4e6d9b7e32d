package io.verbena;

import io.verbena.async.message.Credits;
import io.verbena.async.message.Frame;
import io.verbena.async.op.OpCode;
import io.verbena.async.op.Operation;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;

/**
 * Frames that the two ends exchange for themselves. What can't be sent at once, for want of a place or of a credit, waits
 * here; there is at most one answer for each receive, so it is bounded. All but {@link #owe} is the driver's.
 */
final class ControlFrames {
    private static final int STRIDE = 128;

    /** An answer that waits. */
    private record Answer(long wrId, int status) {}

    private final ConnectionCore core;
    private final Credits credits;
    private final LocalMemory memory;
    private final ArrayDeque<Answer> answers = new ArrayDeque<>();
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
        answers.add(new Answer(wrId, status));
        turn();
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
        while (!answers.isEmpty()) {
            Operation op = begin(false);
            if (op == null) {
                break;
            }
            Answer answer = answers.poll();
            long body = at(op) + Frame.HEADER_BYTES;
            Frame.putLong(memory.unchecked(), body, answer.wrId());
            Frame.putInt(memory.unchecked(), body + 8, answer.status());
            post(op, Frame.DONE, Frame.DONE_BYTES);
        }
        if (disconnectWanted && !disconnectSent) {
            Operation op = begin(false);
            if (op != null) {
                disconnectSent = post(op, Frame.DISCONNECT, 0);
            }
        }
        if (owes) {
            sendCredits();
        }
    }

    private void sendCredits() {
        owes = false;
        // Another frame may have said it meanwhile.
        if (credits.owes(true)) {
            Operation op = begin(true);
            if (op == null) {
                owes = true;
            } else {
                post(op, Frame.CREDIT, 0);
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

    private boolean post(Operation op, int type, int length) {
        MemorySegment bytes = memory.unchecked();
        Frame.write(bytes, at(op), type, credits.advertise(), 0, length);
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
