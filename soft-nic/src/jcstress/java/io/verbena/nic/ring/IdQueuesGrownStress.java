package io.verbena.nic.ring;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Ids in an old queue and a new one, and two consumers, one of which takes what it has looked at: each id once. */
@JCStressTest
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "each once")
@Outcome(expect = Expect.FORBIDDEN, desc = "lost or doubled")
@State
public class IdQueuesGrownStress {
    private final IdQueues queues = new IdQueues(Rings.idQueue(1));
    private int first;
    private int second;

    /** One id in the old queue. */
    public IdQueuesGrownStress() {
        queues.offer(1);
        queues.grow(Rings.idQueue(2));
    }

    /** Adds to the new one, and takes what comes first. */
    @Actor
    public void producerAndConsumer() {
        queues.offer(2);
        first = queues.poll();
    }

    /** Takes what it has looked at. */
    @Actor
    public void otherConsumer() {
        int id = queues.peek();
        second = id >= 0 && queues.pollIf(id) ? id : IdQueue.EMPTY;
    }

    /** Counts all. */
    @Arbiter
    public void rest(II_Result r) {
        int[] seen = new int[3];
        Rings.count(seen, first);
        Rings.count(seen, second);
        for (int id = queues.poll(); id >= 0; id = queues.poll()) {
            seen[id]++;
        }
        r.r1 = seen[1];
        r.r2 = seen[2];
    }
}
