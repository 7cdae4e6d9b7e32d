package io.verbena.nic.ring;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** Two threads post receives: both are offered, and the eager length fits the shorter one. */
@JCStressTest
@Outcome(id = "2, 10, 3", expect = Expect.ACCEPTABLE, desc = "both offered")
@Outcome(expect = Expect.FORBIDDEN, desc = "a receive is missing or its length forgotten")
@State
public class ReceivePostingStress {
    private final long buffer = Rings.block(64).address();
    private final ReceiveQueue queue = Rings.receiveQueue(false);

    /** Joins queue and lane. */
    public ReceivePostingStress() {
        Rings.receiveLane(Rings.core(Rings.DEPTH), queue);
    }

    /** Posts a short one. */
    @Actor
    public void first() {
        queue.post(1, buffer, 10, Rings.KEY);
    }

    /** Posts a longer one. */
    @Actor
    public void second() {
        queue.post(2, buffer, 40, Rings.KEY);
    }

    /** Reads what the peer would see. */
    @Arbiter
    public void later(III_Result r) {
        long word = queue.offered();
        r.r1 = (int) ReceiveQueue.postedOf(word);
        r.r2 = ReceiveQueue.eagerOf(word);
        r.r3 = (int) (queue.wrId(0) + queue.wrId(1));
    }
}
