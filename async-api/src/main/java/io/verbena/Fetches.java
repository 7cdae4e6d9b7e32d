package io.verbena;

import io.verbena.async.op.OpCode;
import io.verbena.async.op.Operation;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Long messages of the peer that are fetched by READ, in the order in which they were offered. What they take of the
 * pool, until they are closed, is bounded: those beyond stay at the peer, which has no answer and no credit for them
 * meanwhile. The driver's, but for {@link #released}.
 */
final class Fetches {
    /** One that is under way, or waits for a place or for memory; here is null until it is under way. */
    private record Fetch(ReceivedMessage message, RemoteMemory there, long wrId, LocalMemory here) {
        Fetch into(LocalMemory memory) {
            return new Fetch(message, there, wrId, memory);
        }
    }

    private final ConnectionCore core;
    private final Frames frames;
    private final ControlFrames control;
    private final long maxBytes;
    private final ArrayDeque<Fetch> waiting = new ArrayDeque<>();
    private final Map<Integer, Fetch> underWay = new HashMap<>();
    /** Bytes of messages under way, or here and not closed. */
    private final AtomicLong taken = new AtomicLong();

    Fetches(ConnectionCore core, Frames frames, ControlFrames control) {
        this.core = core;
        this.frames = frames;
        this.control = control;
        maxBytes = core.config.messages().fetchBytes();
    }

    /** Fetches it as soon as there is a place and enough of the bound is left. */
    void begin(ReceivedMessage message, RemoteMemory there, long wrId) {
        waiting.add(new Fetch(message, there, wrId, null));
        turn();
    }

    private boolean isAllowed(Fetch fetch) {
        long now = taken.get();
        return now == 0 || fetch.there().length() <= maxBytes - now;
    }

    void turn() {
        while (!waiting.isEmpty() && isAllowed(waiting.peek())) {
            Operation op = core.control.reserve();
            if (op == null) {
                return;
            }
            Fetch next = waiting.poll();
            Fetch fetch;
            try {
                fetch = next.into(core.node.memory().allocate(
                        next.there().length(), AllocationOptions.DEFAULT.withZeroed(false)));
            } catch (MemoryExhaustedException e) {
                op.free();
                control.done(next.wrId(), OperationStatus.REFUSED);
                frames.refused(next.message());
                continue;
            }
            taken.addAndGet(fetch.here().length());
            post(op, fetch);
        }
    }

    private void post(Operation op, Fetch fetch) {
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

    /** The connection has failed: it can't be had any more. */
    private void drop(Fetch fetch) {
        fetch.here().close();
        taken.addAndGet(-fetch.there().length());
        frames.fetched(fetch.message(), null);
    }

    /** A message that was fetched is closed: there is room for others. Any thread. */
    void released(long bytes) {
        taken.addAndGet(-bytes);
        core.home.poller().wantTurn(core);
    }

    /** The connection is gone: nothing is fetched any more. */
    void closed() {
        underWay.values().forEach(each -> each.here().close());
        waiting.clear();
    }
}
