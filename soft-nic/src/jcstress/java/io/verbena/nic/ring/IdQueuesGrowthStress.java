package io.verbena.nic.ring;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** A queue that grows while a producer adds and a consumer takes: nothing is lost, and the producer's order is kept. */
@JCStressTest
@Outcome(id = {"-1, -1, 123", "-1, 1, 23", "1, 2, 3", "1, -1, 23"}, expect = Expect.ACCEPTABLE, desc = "in order")
@Outcome(expect = Expect.FORBIDDEN, desc = "out of order, lost or doubled")
@State
public class IdQueuesGrowthStress {
    private final IdQueues queues = new IdQueues(Rings.idQueue(4));
    private final IdQueue larger = Rings.idQueue(8);

    /** Adds three, to the old queue or the new one. */
    @Actor
    public void producer() {
        queues.offer(1);
        queues.offer(2);
        queues.offer(3);
    }

    /** Grows between two looks at what is there. */
    @Actor
    public void growerAndConsumer(III_Result r) {
        r.r1 = queues.poll();
        queues.grow(larger);
        r.r2 = queues.poll();
    }

    /** The rest, as digits. */
    @Arbiter
    public void rest(III_Result r) {
        for (int id = queues.poll(); id >= 0; id = queues.poll()) {
            r.r3 = 10 * r.r3 + id;
        }
    }
}
