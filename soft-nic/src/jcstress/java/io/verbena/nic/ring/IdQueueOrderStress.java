package io.verbena.nic.ring;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** Ids of one producer come out in its order, and none appears before it was added. */
@JCStressTest
@Outcome(id = {"-1, -1, 123", "-1, 1, 23", "1, 2, 3", "1, -1, 23"}, expect = Expect.ACCEPTABLE, desc = "in order")
@Outcome(expect = Expect.FORBIDDEN, desc = "out of order, lost or doubled")
@State
public class IdQueueOrderStress {
    private final IdQueue queue = Rings.idQueue(4);

    /** Adds three. */
    @Actor
    public void producer() {
        queue.offer(1);
        queue.offer(2);
        queue.offer(3);
    }

    /** Takes what it finds. */
    @Actor
    public void consumer(III_Result r) {
        r.r1 = queue.poll();
        r.r2 = queue.poll();
    }

    /** The rest, as digits. */
    @Arbiter
    public void rest(III_Result r) {
        for (int id = queue.poll(); id >= 0; id = queue.poll()) {
            r.r3 = 10 * r.r3 + id;
        }
    }
}
