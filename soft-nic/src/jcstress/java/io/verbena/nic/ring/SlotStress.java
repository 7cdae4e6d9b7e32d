package io.verbena.nic.ring;

import io.verbena.verbs.WorkCompletion;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Whoever has polled the completion of the only send finds its slot free. */
@JCStressTest
@Outcome(id = {"0, 0", "0, 1"}, expect = Expect.ACCEPTABLE, desc = "not completed yet")
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "completed, and free")
@Outcome(id = "1, 0", expect = Expect.FORBIDDEN, desc = "completed, but full")
@State
public class SlotStress {
    private static final SendQueue.Shape SHAPE = new SendQueue.Shape(1, 1, 1, 0);

    private final SendLane lane = Rings.sendLane(Rings.core(Rings.DEPTH));
    private final SendQueue queue = new SendQueue(Rings.block(SHAPE.bytes()), 0, SHAPE, lane);
    private final long sequence = queue.reserve(1) >>> 1;

    /** Executes the send. */
    @Actor
    public void executor() {
        lane.produce(7, Detail.of(9, 1, 0, 0), sequence);
        queue.done(sequence);
    }

    /** Polls it, then posts. */
    @Actor
    public void user(II_Result r) {
        r.r1 = lane.poll(new WorkCompletion());
        r.r2 = queue.hasSlot(sequence + 1) ? 1 : 0;
    }
}
