package io.verbena;

import io.verbena.async.op.OpCode;
import io.verbena.async.op.Operation;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/** Long messages of the peer that are fetched by READ. The driver's. */
final class Fetches {
    /** One that is under way, or waits for a place. */
    private record Fetch(ReceivedMessage message, RemoteMemory there, long wrId, LocalMemory here) {}

    private final ConnectionCore core;
    private final Frames frames;
    private final ControlFrames control;
    private final ArrayDeque<Fetch> waiting = new ArrayDeque<>();
    private final Map<Integer, Fetch> underWay = new HashMap<>();

    Fetches(ConnectionCore core, Frames frames, ControlFrames control) {
        this.core = core;
        this.frames = frames;
        this.control = control;
    }

    /** Begins to fetch; false when there is no memory, which the peer is told. */
    boolean begin(ReceivedMessage message, RemoteMemory there, long wrId) {
        LocalMemory here;
        try {
            here = core.node.memory().allocate(there.length(), AllocationOptions.DEFAULT.withZeroed(false));
        } catch (MemoryExhaustedException e) {
            control.done(wrId, OperationStatus.REFUSED);
            return false;
        }
        waiting.add(new Fetch(message, there, wrId, here));
        turn();
        return true;
    }

    void turn() {
        while (!waiting.isEmpty()) {
            Operation op = core.control.reserve();
            if (op == null) {
                return;
            }
            Fetch fetch = waiting.poll();
            op.kind = OpCode.READ;
            op.address = fetch.here().address();
            op.length = fetch.here().length();
            op.lkey = fetch.here().lkey();
            op.remoteAddress = fetch.there().address();
            op.rkey = fetch.there().rkey();
            op.lent = fetch.here().loans();
            op.loan = op.lent.acquireCounted(true);
            int index = op.index();
            underWay.put(index, fetch);
            if (!core.postControl(op)) {
                underWay.remove(index);
                drop(fetch);
            }
        }
    }

    void ended(Operation op, int status) {
        Fetch fetch = underWay.remove(op.index());
        op.returnLoans();
        op.free();
        if (status != OperationStatus.SUCCESS) {
            drop(fetch);
            return;
        }
        control.done(fetch.wrId(), 0);
        frames.fetched(fetch.message(), fetch.here());
    }

    private void drop(Fetch fetch) {
        fetch.here().close();
        frames.fetched(fetch.message(), null);
    }

    /** The connection is gone: nothing is fetched any more. */
    void closed() {
        underWay.values().forEach(each -> each.here().close());
        waiting.forEach(each -> each.here().close());
    }
}
