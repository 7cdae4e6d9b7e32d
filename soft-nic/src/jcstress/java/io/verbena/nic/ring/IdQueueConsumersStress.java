package io.verbena.nic.ring;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A producer and two consumers: each id goes to one of them. */
@JCStressTest
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "each once")
@Outcome(expect = Expect.FORBIDDEN, desc = "lost or doubled")
@State
public class IdQueueConsumersStress {
    private final IdQueue queue = Rings.idQueue(2);
    private int first;
    private int second;

    /** One id is there. */
    public IdQueueConsumersStress() {
        queue.offer(1);
    }

    /** Adds another, and takes what comes first. */
    @Actor
    public void producerAndConsumer() {
        queue.offer(2);
        first = queue.poll();
    }

    /** Takes what it has looked at, as who needs room for a message does. */
    @Actor
    public void otherConsumer() {
        int id = queue.peek();
        second = id >= 0 && queue.pollIf(id) ? id : IdQueue.EMPTY;
    }

    /** Counts all. */
    @Arbiter
    public void rest(II_Result r) {
        int[] seen = new int[3];
        Rings.count(seen, first);
        Rings.count(seen, second);
        Rings.countAll(seen, queue);
        r.r1 = seen[1];
        r.r2 = seen[2];
    }
}
