package io.verbena.nic.ring;

import io.verbena.nic.memory.OffHeap;
import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Once a receive queue is closed, no poster writes to its memory, which may belong to another queue by then. */
@JCStressTest
@Outcome(id = "64", expect = Expect.ACCEPTABLE, desc = "the next queue offers nothing")
@Outcome(expect = Expect.FORBIDDEN, desc = "the next queue offers receives that nobody posted")
@State
public class ReceiveCloseStress {
    private final MemorySegment block = Rings.block(Rings.RECEIVE_SHAPE.bytes());
    private final ReceiveQueue queue = Rings.receiveQueue(block, false);
    private ReceiveQueue next;

    /** Joins queue and lane. */
    public ReceiveCloseStress() {
        Rings.receiveLane(Rings.core(Rings.DEPTH), queue);
    }

    /** Posts, perhaps too late. */
    @Actor
    public void poster() {
        queue.post(1, 0, 0, 0);
    }

    /** Posts as well, then destroys the queue; its memory is used again. */
    @Actor
    public void owner() {
        queue.post(2, 0, 0, 0);
        queue.close();
        OffHeap.zero(block.address(), block.byteSize());
        next = Rings.receiveQueue(block, false);
    }

    /** What a peer of the next queue sees. */
    @Arbiter
    public void later(I_Result r) {
        r.r1 = (int) next.offered();
    }
}
